import torch


def shift_right(ids, bos, pad):
    labels = ids.masked_fill(ids == pad, -100)
    return torch.roll(ids, 1, dims=1), labels
