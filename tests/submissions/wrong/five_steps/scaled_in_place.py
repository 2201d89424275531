import math

import torch


def five_steps(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scaled = scores.div_(math.sqrt(q.size(-1)))
    masked = scaled.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(masked, dim=-1)
    output = weights @ v
    return scores, scaled, masked, weights, output
