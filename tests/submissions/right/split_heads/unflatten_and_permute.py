def split_heads(x, h):
    if x.shape[-1] // h * h != x.shape[-1]:
        raise ValueError("d_model must be a multiple of h")
    return x.unflatten(-1, (h, -1)).permute(0, 2, 1, 3)
