import torch


def shift_right(ids, bos, pad):
    start = torch.full_like(ids[:, :1], bos)
    inputs = torch.cat([start, ids[:, :-1]], dim=1)
    labels = ids.masked_fill(ids == pad, -100)
    return inputs, labels
