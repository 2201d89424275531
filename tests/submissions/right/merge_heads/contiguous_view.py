def merge_heads(x):
    B, h, n, d = x.shape
    return x.permute(0, 2, 1, 3).contiguous().view(B, n, h * d)
