import torch


def similarity_of(one, keys, kind):
    if kind == "neg_sq_dist":
        return -(keys - one).pow(2).sum(dim=-1)
    products = (keys * one).sum(dim=-1)
    if kind == "dot":
        return products
    if kind == "cosine":
        lengths = keys.norm(dim=-1) * one.norm(dim=-1)
        return products / torch.where(lengths == 0, torch.ones_like(lengths), lengths)
    raise ValueError(kind)


def soft_knn(q, k, v, kind, temperature):
    rows = []
    for i in range(q.shape[-2]):
        shares = torch.softmax(similarity_of(q[..., i : i + 1, :], k, kind) / temperature, dim=-1)
        rows.append((shares.unsqueeze(-1) * v).sum(dim=-2))
    return torch.stack(rows, dim=-2)
