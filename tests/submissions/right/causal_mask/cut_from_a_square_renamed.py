import torch


def causal_mask(queries, keys=None, dev=None):
    keys = queries if keys is None else keys
    size = max(queries, keys)
    square = torch.ones(size, size, dtype=torch.bool, device=dev).tril()
    return square[size - queries :, size - keys :]
