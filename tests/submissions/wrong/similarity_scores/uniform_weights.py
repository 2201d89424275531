import torch


def similarity_scores(q, k):
    scores = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype, device=q.device)
    for i in range(q.shape[-2]):
        for j in range(k.shape[-2]):
            score = (q[..., i, :] * k[..., j, :]).sum(-1)
    return scores
