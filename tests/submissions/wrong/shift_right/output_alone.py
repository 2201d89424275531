import torch


def shift_right(ids, bos, pad):
    start = torch.full_like(ids[:, :1], bos)
    return torch.cat([start, ids[:, :-1]], dim=1)
