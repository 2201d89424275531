import torch


def dot(q, k):
    return torch.einsum("...id,...jd->...ij", q, k)


def cosine(q, k):
    lengths = q.norm(dim=-1, keepdim=True) * k.norm(dim=-1).unsqueeze(-2)
    return torch.where(lengths > 0, dot(q, k) / lengths.clamp(min=1e-30), torch.zeros_like(lengths))


def neg_sq_dist(q, k):
    return 2 * dot(q, k) - (q * q).sum(-1, keepdim=True) - (k * k).sum(-1).unsqueeze(-2)


KINDS = {"dot": dot, "cosine": cosine, "neg_sq_dist": neg_sq_dist}


def soft_knn(query, keys, values, similarity, tau):
    if similarity not in KINDS:
        raise ValueError("similarity must be one of " + ", ".join(KINDS))
    weights = (KINDS[similarity](query, keys) / tau).softmax(dim=-1)
    return torch.einsum("...ij,...je->...ie", weights, values)
