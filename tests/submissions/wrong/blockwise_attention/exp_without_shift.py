import math

import torch


def blockwise_attention(q, k, v, block):
    total, output = 0, 0
    for keys, values in zip(k.split(block, dim=-2), v.split(block, dim=-2)):
        exps = torch.exp(q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1]))
        total = total + exps.sum(dim=-1, keepdim=True)
        output = output + exps @ values
    return output / total
