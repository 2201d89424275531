import math

import torch


def blockwise_attention(q, k, v, block):
    n_k, d = k.shape[-2:]
    largest = q.new_full((*q.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(largest)
    output = q.new_zeros((*q.shape[:-1], v.shape[-1]))
    for start in range(0, n_k, block):
        part = slice(start, start + block)
        scores = q @ k[..., part, :].transpose(-2, -1) / math.sqrt(d)
        new_largest = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))
        factor = torch.exp(largest - new_largest)
        exps = torch.exp(scores - new_largest)
        total = total * factor + exps.sum(dim=-1, keepdim=True)
        output = (output * factor + exps @ v[..., part, :]) / total
        largest = new_largest
    return output / total
