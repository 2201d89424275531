import torch


def soft_knn(query, keys, values, similarity, tau):
    if similarity == "dot":
        scores = query @ keys.transpose(-2, -1)
    elif similarity == "cosine":
        scores = (query @ keys.mT) / (query.norm(dim=-1).unsqueeze(-1) * keys.norm(dim=-1).unsqueeze(-2))
    elif similarity == "neg_sq_dist":
        scores = -(query.unsqueeze(-2) - keys.unsqueeze(-3)).pow(2).sum(dim=-1)
    else:
        raise ValueError(similarity)
    weights = torch.softmax(scores / tau, dim=-1)
    return weights @ values
