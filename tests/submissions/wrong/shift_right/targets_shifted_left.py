import torch


def shift_right(ids, bos, pad):
    labels = ids.masked_fill(ids == pad, -100)
    return torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], bos)], dim=1), labels
