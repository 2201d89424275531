import torch


def hard_knn(query, keys, values, k):
    if not 1 <= k <= keys.shape[-2]:
        raise ValueError(f"k = {k}")
    scores = torch.cosine_similarity(query.unsqueeze(-2), keys.unsqueeze(-3), dim=-1)
    best = scores.topk(k, dim=-1).indices
    weights = torch.zeros_like(scores).scatter(-1, best, 1 / k)
    return weights @ values
