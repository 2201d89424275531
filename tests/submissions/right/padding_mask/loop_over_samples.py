import torch


def padding_mask(lengths, n_k):
    mask = torch.zeros(len(lengths), 1, 1, n_k, dtype=torch.bool, device=lengths.device)
    for sample, length in enumerate(lengths.tolist()):
        mask[sample, :, :, :length] = True
    return mask
