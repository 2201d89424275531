def split_heads(x, h):
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h).transpose(1, 2)
