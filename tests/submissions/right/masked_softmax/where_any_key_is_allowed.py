import torch


def masked_softmax(scores, mask):
    some = mask.any(dim=-1, keepdim=True)
    safe = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(safe, dim=-1) * some
