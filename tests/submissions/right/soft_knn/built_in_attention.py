import torch.nn.functional as F


def soft_knn(query, keys, values, similarity, tau):
    if similarity not in ("dot", "cosine", "neg_sq_dist"):
        raise ValueError("similarity?")
    if similarity == "cosine":
        query, keys = F.normalize(query, dim=-1), F.normalize(keys, dim=-1)
    if similarity == "neg_sq_dist":
        lengths = keys.square().sum(dim=-1).unsqueeze(-2)
        return F.scaled_dot_product_attention(
            query, keys, values, attn_mask=(-lengths / tau).expand(*query.shape[:-1], -1), scale=2 / tau
        )
    return F.scaled_dot_product_attention(query, keys, values, scale=1 / tau)
