import torch


def padding_mask(how_many, width):
    count = torch.ones(how_many.shape[0], 1, 1, width, device=how_many.device).cumsum(dim=-1)
    return count.le(how_many.view(-1, 1, 1, 1))
