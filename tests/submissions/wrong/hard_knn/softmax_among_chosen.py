import torch


def hard_knn(query, keys, values, k):
    if not 1 <= k <= keys.shape[-2]:
        raise ValueError(f"k = {k}")
    scores = query @ keys.transpose(-2, -1)
    best = scores.topk(k, dim=-1).indices
    kept = torch.full_like(scores, float("-inf")).scatter(-1, best, scores.gather(-1, best))
    return torch.softmax(kept, dim=-1) @ values
