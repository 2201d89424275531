from einops import rearrange


def split_heads(x, h):
    if x.shape[-1] % h:
        raise ValueError("features do not fit heads")
    return rearrange(x, "b n (h d) -> b h n d", h=h)
