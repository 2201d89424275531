import math

import torch

BLOCK = 3


def attention(query, key, value, mask=None):
    n_q, d_k = query.shape[-2:]
    n_k = key.shape[-2]
    shape = query.shape[:-1]
    lowest = torch.finfo(query.dtype).min
    highest = query.new_full((*shape, 1), lowest)
    total = query.new_zeros((*shape, 1))
    output = query.new_zeros((*shape, value.shape[-1]))
    blocks = []
    if mask is not None:
        mask = mask.expand(*mask.shape[:-2], n_q, n_k)
    for start in range(0, n_k, BLOCK):
        part = slice(start, start + BLOCK)
        scores = query @ key[..., part, :].transpose(-2, -1) / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., part], -math.inf)
        blocks.append(scores)
        new_highest = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        correction = torch.exp(highest - new_highest)
        exps = torch.exp(scores - new_highest)
        total = total * correction + exps.sum(dim=-1, keepdim=True)
        output = output * correction + exps @ value[..., part, :]
        highest = new_highest
    weights = torch.exp(torch.cat(blocks, dim=-1) - highest) / total
    return output / total, weights
