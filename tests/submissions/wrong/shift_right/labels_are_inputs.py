import torch


def shift_right(ids, bos, pad):
    inputs = torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
    return inputs, inputs.masked_fill(inputs == pad, -100)
