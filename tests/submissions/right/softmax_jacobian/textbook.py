import torch


def softmax_jacobian(weights):
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
