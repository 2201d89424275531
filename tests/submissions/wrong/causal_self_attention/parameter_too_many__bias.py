import math

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features do not fit {n_heads} heads")
        self.n_heads, self.max_len = n_heads, max_len
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len, dtype=torch.bool).tril())

    def forward(self, x):
        b, n, d_model = x.shape
        if n > self.max_len:
            raise ValueError(f"{n} tokens are more than {self.max_len}")
        q, k, v = (part.view(b, n, self.n_heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~self.mask[:n, :n], -math.inf)
        weights = self.drop(torch.softmax(scores, dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d_model))
