import torch


def merge_heads(heads):
    return torch.cat(heads.unbind(dim=1), dim=-1)
