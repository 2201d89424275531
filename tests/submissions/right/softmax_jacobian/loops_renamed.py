import torch


def softmax_jacobian(w):
    n = w.shape[-1]
    jacobian = torch.zeros(*w.shape, n, dtype=w.dtype, device=w.device)
    for i in range(n):
        for j in range(n):
            kronecker = 1.0 if i == j else 0.0
            jacobian[..., i, j] = w[..., i] * (kronecker - w[..., j])
    return jacobian
