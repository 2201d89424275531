import torch


def soft_knn(query, keys, values, similarity, tau):
    scores = query @ keys.transpose(-2, -1) / tau
    return torch.softmax(scores, dim=-1) @ values
