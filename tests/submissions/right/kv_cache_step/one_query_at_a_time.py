import torch


def kv_cache_step(k_cache, v_cache, q, k, v):
    rows = []
    for i in range(q.shape[-2]):
        new_k, new_v = k[..., i : i + 1, :], v[..., i : i + 1, :]
        k_cache = new_k if k_cache is None else torch.cat([k_cache, new_k], dim=-2)
        v_cache = new_v if v_cache is None else torch.cat([v_cache, new_v], dim=-2)
        scores = torch.einsum("...id,...jd->...ij", q[..., i : i + 1, :], k_cache) * q.shape[-1] ** -0.5
        rows.append(scores.softmax(-1) @ v_cache)
    return torch.cat(rows, dim=-2), k_cache, v_cache
