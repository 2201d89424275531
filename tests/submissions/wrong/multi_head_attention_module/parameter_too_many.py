import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features do not fit {n_heads} heads")
        self.n_heads, self.d = n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)
        self.scale = nn.Parameter(torch.tensor(math.sqrt(self.d)))

    def split(self, x):
        return x.view(x.shape[0], -1, self.n_heads, self.d).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.w_q(query)), self.split(self.w_k(key)), self.split(self.w_v(value))
        scores = q @ k.transpose(-2, -1) / self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = self.drop(torch.softmax(scores, dim=-1))
        merged = (weights @ v).transpose(1, 2).reshape(query.shape)
        return self.w_o(merged)
