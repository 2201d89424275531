import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features do not fit {n_heads} heads")
        self.n_heads, self.d = n_heads, d_model // n_heads
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        return x.view(x.shape[0], -1, self.n_heads, self.d).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        w_q, w_k, w_v, w_o = (nn.Linear(query.shape[-1], query.shape[-1]) for _ in range(4))
        q, k, v = self.split(w_q(query)), self.split(w_k(key)), self.split(w_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = self.drop(torch.softmax(scores, dim=-1))
        merged = (weights @ v).transpose(1, 2).reshape(query.shape)
        return w_o(merged)
