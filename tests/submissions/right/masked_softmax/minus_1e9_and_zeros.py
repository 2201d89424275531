import torch.nn.functional as F


def masked_softmax(S, M):
    W = F.softmax(S.masked_fill(M == 0, -1e9), dim=-1)
    return W.masked_fill(M == 0, 0)
