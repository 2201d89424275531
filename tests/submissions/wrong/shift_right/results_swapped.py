import torch


def shift_right(ids, bos, pad):
    labels = ids.masked_fill(ids == pad, -100)
    return labels, torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)
