import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, longest, p=0.0):
        if width % heads:
            raise ValueError(width, heads)
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.heads = heads
        self.p = p
        self.register_buffer("future", torch.ones(longest, longest, dtype=torch.bool).triu(1))

    def forward(self, tokens):
        n = tokens.shape[1]
        if n > len(self.future):
            raise ValueError(n)
        packed = self.qkv(tokens).unflatten(-1, (3, self.heads, -1))
        q, k, v = packed.unbind(dim=2)  # (B, n, heads, d) each
        scores = torch.einsum("bihd,bjhd->bhij", q * q.shape[-1] ** -0.5, k)
        scores = torch.where(self.future[:n, :n], torch.finfo(scores.dtype).min, scores)
        weights = F.dropout(scores.softmax(-1), self.p, training=self.training)
        return self.out(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))
