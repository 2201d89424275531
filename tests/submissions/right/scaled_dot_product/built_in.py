import torch.nn.functional as F


def scaled_dot_product(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
