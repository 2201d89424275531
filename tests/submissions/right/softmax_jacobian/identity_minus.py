import torch


def softmax_jacobian(weights):
    identity = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return weights[..., :, None] * (identity - weights[..., None, :])
