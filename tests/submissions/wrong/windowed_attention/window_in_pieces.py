import math

import torch


def windowed_attention(q, k, v, w):
    n = q.shape[-2]
    outputs = []
    for start in range(0, n, w + 1):
        part = slice(start, min(start + w + 1, n))
        scores = q[..., part, :] @ k[..., part, :].transpose(-2, -1) / math.sqrt(q.shape[-1])
        outputs.append(torch.softmax(scores, dim=-1) @ v[..., part, :])
    return torch.cat(outputs, dim=-2)
