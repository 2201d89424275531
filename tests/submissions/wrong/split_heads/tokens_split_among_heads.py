def split_heads(x, h):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    return x.view(B, h, n, d_model // h)
