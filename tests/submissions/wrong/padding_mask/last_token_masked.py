import torch


def padding_mask(lengths, n_k):
    positions = torch.arange(1, n_k + 1, device=lengths.device)
    mask = positions[None, :] < lengths[:, None]
    return mask.unsqueeze(1).unsqueeze(2)
