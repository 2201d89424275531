import numpy as np
import torch


def attention(Q, K, V, M=None):
    S = Q @ K.transpose(-2, -1) / np.sqrt(Q.shape[-1])
    if M is not None:
        S = torch.where(M, S, torch.tensor(float("-inf"), dtype=S.dtype, device=S.device))
    A = S.softmax(dim=-1)
    return A @ V, A
