import torch


def hard_knn(query, keys, values, k):
    n = keys.shape[-2]
    if not 0 < k <= n:
        raise ValueError("k")
    order = torch.einsum("...id,...jd->...ij", query, keys).argsort(dim=-1, descending=True)
    best = order[..., :k]
    spread = values.unsqueeze(-3).expand(*best.shape[:-1], *values.shape[-2:])
    chosen = torch.gather(spread, -2, best.unsqueeze(-1).expand(*best.shape, values.shape[-1]))
    return chosen.mean(dim=-2)
