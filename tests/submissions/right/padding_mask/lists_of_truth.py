import torch


def padding_mask(lengths, n_k):
    rows = [[[[j < length for j in range(n_k)]]] for length in lengths.tolist()]
    return torch.tensor(rows, device=lengths.device)
