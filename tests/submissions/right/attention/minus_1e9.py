import math

import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == False, -1e9)
    p_attn = F.softmax(scores, dim=-1)
    return torch.matmul(p_attn, value), p_attn
