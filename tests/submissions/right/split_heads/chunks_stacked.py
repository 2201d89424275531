import torch


def split_heads(x, h):
    if x.size(2) % h:
        raise ValueError(x.size(2), h)
    return torch.stack(x.chunk(h, dim=-1), dim=1)
