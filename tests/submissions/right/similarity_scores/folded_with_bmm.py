import torch


def similarity_scores(q, k):
    folded_q = q.reshape(-1, *q.shape[-2:])
    folded_k = k.reshape(-1, *k.shape[-2:])
    return torch.bmm(folded_q, folded_k.permute(0, 2, 1)).reshape(*q.shape[:-1], k.shape[-2])
