import torch


class DoesNotFit(ValueError):
    pass


def split_heads(tokens, heads):
    samples, count, width = tokens.shape
    d, rest = divmod(width, heads)
    if rest:
        raise DoesNotFit
    out = torch.empty(samples, heads, count, d, dtype=tokens.dtype, device=tokens.device)
    for i in range(heads):
        out[:, i] = tokens[:, :, i * d : (i + 1) * d]
    return out
