import torch


def scaled_dot_product(q, k, v):
    d_k = q.shape[-1]
    scores = q @ k.transpose(-2, -1) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    return torch.softmax(scores, dim=-2) @ v
