import torch


def softmax_jacobian(weights):
    jacobian = -torch.einsum("...i,...j->...ij", weights, weights)
    jacobian.diagonal(dim1=-2, dim2=-1).add_(weights)
    return jacobian
