import torch


def shift_right(ids, bos, pad):
    inputs = torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
    labels = torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], -100)], dim=1)
    return inputs, labels.masked_fill(labels == pad, -100)
