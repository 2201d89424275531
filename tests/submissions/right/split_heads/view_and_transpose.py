def split_heads(x, h):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError(f"d_model {d_model} is not a multiple of h {h}")
    return x.view(B, n, h, d_model // h).transpose(1, 2)
