from einops import rearrange


def merge_heads(x):
    return rearrange(x, "b h n d -> b n (h d)")
