import numpy as np
import torch


def alibi_bias(n_q, n_k, h):
    slopes = np.exp2(-8 * np.arange(1, h + 1) / h)
    distance = np.abs(np.subtract.outer(np.arange(n_k - n_q, n_k), np.arange(n_k)))
    return torch.from_numpy(np.multiply.outer(-slopes, distance))
