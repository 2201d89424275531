import torch


def padding_mask(lengths, n_k):
    j = torch.arange(n_k, device=lengths.device)
    return (j < lengths.unsqueeze(1))[:, None, None, :]
