import torch


def scaled_dot_product(q, k, v):
    scale = q.shape[-1] ** -0.5
    largest = torch.full_like(q[..., :1], -torch.inf)
    total = torch.zeros_like(q[..., :1])
    output = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=q.dtype, device=q.device)
    for j in range(k.shape[-2]):
        score = scale * (q * k[..., j : j + 1, :]).sum(dim=-1, keepdim=True)
        new = torch.maximum(largest, score)
        keep, gain = torch.exp(largest - new), torch.exp(score - new)
        total = total * keep + gain
        output = output * keep + gain * v[..., j : j + 1, :]
        largest = new
    return output / total
