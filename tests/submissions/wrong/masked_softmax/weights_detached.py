import numpy as np
import torch


def masked_softmax(scores, mask):
    s = scores.detach().numpy()
    m = np.broadcast_to(mask.numpy(), s.shape)
    s = np.where(m, s, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    return torch.tensor(e / np.where(total == 0, 1, total))
