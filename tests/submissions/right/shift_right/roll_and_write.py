import torch


def shift_right(ids, bos, pad):
    inputs = torch.roll(ids, shifts=1, dims=1)
    inputs[:, 0] = bos
    return inputs, torch.where(ids != pad, ids, -100)
