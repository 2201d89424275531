import math

import torch


def blockwise_attention(q, k, v, block):
    output = 0
    for keys, values in zip(k.split(block, dim=-2), v.split(block, dim=-2)):
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])
        output = output + torch.softmax(scores, dim=-1) @ values
    return output
