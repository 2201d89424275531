import torch


def scaled_dot_product(q, k, v):
    scores = torch.matmul(q, k.mT) / k.shape[-1] ** 0.5
    exponentials = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return torch.matmul(exponentials, v) / exponentials.sum(dim=-1, keepdim=True)
