import torch


def hard_knn(query, keys, values, k):
    if k < 1 or k > keys.shape[-2]:
        raise ValueError(f"k must be between 1 and {keys.shape[-2]}")
    scores = query @ keys.transpose(-2, -1)
    best = scores.topk(k, dim=-1).indices
    weights = torch.zeros_like(scores).scatter(-1, best, 1 / k)
    return weights @ values
