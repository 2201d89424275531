import torch


def attend(weights, v):
    output = torch.zeros(*weights.shape[:-1], v.shape[-1], dtype=v.dtype, device=v.device)
    for j in range(v.shape[-2]):
        output = output + weights[..., j : j + 1] * v[..., j : j + 1, :]
    return output
