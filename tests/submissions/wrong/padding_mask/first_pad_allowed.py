import torch


def padding_mask(lengths, n_k):
    positions = torch.arange(n_k, device=lengths.device)
    mask = positions[None, :] <= lengths[:, None]
    return mask.unsqueeze(1).unsqueeze(2)
