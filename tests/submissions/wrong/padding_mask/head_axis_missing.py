import torch


def padding_mask(lengths, n_k):
    mask = torch.arange(n_k, device=lengths.device)[None, :] < lengths[:, None]
    return mask.unsqueeze(1)
