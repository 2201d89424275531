import math

import torch


def scaled_dot_product(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=1)
    return weights @ v
