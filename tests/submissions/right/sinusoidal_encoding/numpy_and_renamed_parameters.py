import numpy as np
import torch


def sinusoidal_encoding(length, features, period=10000.0):
    angle = np.arange(length)[:, None] / np.power(period, 2 * (np.arange(features)[None, :] // 2) / features)
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return torch.from_numpy(angle).float()
