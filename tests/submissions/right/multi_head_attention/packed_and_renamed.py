import math

import torch


def multi_head_attention(X, Wq, Wk, Wv, Wo, bq, bk, bv, bo, heads, allowed=None):
    if X.size(-1) % heads:
        raise ValueError(X.size(-1), heads)
    packed = torch.nn.functional.linear(X, torch.cat((Wq, Wk, Wv)), torch.cat((bq, bk, bv)))
    Q, K, V = packed.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    S = (Q / math.sqrt(Q.size(-1))) @ K.mT
    if allowed is not None:
        S = S + torch.zeros_like(S).masked_fill(~allowed, -torch.inf)
    A = torch.exp(S - S.amax(-1, keepdim=True))
    A = A / A.sum(-1, keepdim=True)
    return torch.nn.functional.linear((A @ V).transpose(1, 2).flatten(2), Wo, bo)
