import torch


def similarity_scores(q, k):
    return torch.einsum("...id,...jd->...ij", q, q)
