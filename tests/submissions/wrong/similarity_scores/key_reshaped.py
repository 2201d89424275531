import torch


def similarity_scores(q, k):
    turned = k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])
    return torch.matmul(q, turned)
