import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.size, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("the heads do not fit")
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        parts = [
            layer(x).split(self.size, dim=-1) for layer, x in [(self.w_q, query), (self.w_k, key), (self.w_v, value)]
        ]
        if mask is not None:
            mask = mask.broadcast_to(query.shape[0], len(parts[0]), query.shape[1], key.shape[1])
        heads = []
        for h, (q, k, v) in enumerate(zip(*parts)):
            scores = q @ k.transpose(1, 2) / math.sqrt(self.size)
            if mask is not None:
                scores = scores.masked_fill(~mask[:, h], torch.finfo(scores.dtype).min)
            heads.append(self.dropout(torch.softmax(scores, -1)) @ v)
        return self.w_o(torch.cat(heads, -1))
