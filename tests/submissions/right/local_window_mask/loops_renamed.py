import torch


def local_window_mask(length, radius, one_sided=False):
    table = []
    for i in range(length):
        last = i if one_sided else i + radius
        table.append([i - radius <= j <= last for j in range(length)])
    return torch.tensor(table)
