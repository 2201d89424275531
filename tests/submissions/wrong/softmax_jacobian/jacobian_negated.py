import torch


def softmax_jacobian(weights):
    outer = torch.einsum("...i,...j->...ij", weights, weights)
    return outer - torch.diag_embed(weights)
