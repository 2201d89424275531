def merge_heads(x):
    B, h, n, d = x.shape
    return x.reshape(B, n, h * d)
