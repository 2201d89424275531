import numpy as np
import torch


def local_window_mask(n, w, causal=False):
    i, j = np.indices((n, n))
    near = np.abs(i - j) <= w
    return torch.from_numpy(near & (j <= i) if causal else near)
