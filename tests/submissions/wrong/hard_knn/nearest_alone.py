import torch


def hard_knn(query, keys, values, k):
    if not 1 <= k <= keys.shape[-2]:
        raise ValueError(f"k = {k}")
    scores = query @ keys.transpose(-2, -1)
    best = scores.argmax(dim=-1)
    weights = torch.nn.functional.one_hot(best, scores.shape[-1]).to(values.dtype)
    return weights @ values
