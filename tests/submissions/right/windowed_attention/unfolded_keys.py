import math

import torch
import torch.nn.functional as F


def windowed_attention(q, k, v, w):
    n, d = q.shape[-2:]
    keys = F.pad(k, (0, 0, w, w)).unfold(-2, 2 * w + 1, 1)  # (..., n, d, 2w + 1)
    values = F.pad(v, (0, 0, w, w)).unfold(-2, 2 * w + 1, 1)
    scores = torch.einsum("...id,...idj->...ij", q, keys) / math.sqrt(d)
    where = torch.arange(n, device=q.device)[:, None] + torch.arange(-w, w + 1, device=q.device)
    scores = scores.masked_fill((where < 0) | (where >= n), float("-inf"))
    return torch.einsum("...ij,...iej->...ie", scores.softmax(-1), values)
