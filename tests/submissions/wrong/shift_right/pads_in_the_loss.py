import torch


def shift_right(ids, bos, pad):
    return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1), ids.clone()
