import torch
from torch.nn.functional import scaled_dot_product_attention


def windowed_attention(q, k, v, w):
    n = q.size(-2)
    band = torch.ones(n, n, dtype=torch.bool, device=q.device).tril(w).triu(-w)
    return scaled_dot_product_attention(q, k, v, attn_mask=band)
