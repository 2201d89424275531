import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("indivisible")
        self.h, self.max_len = n_heads, max_len
        self.qkv = nn.Linear(d_model, d_model * 3, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("later", torch.triu(torch.ones(max_len, max_len), 1).bool())

    def fold(self, x):
        b, n, d = x.shape
        return x.reshape(b, n, self.h, d // self.h).permute(0, 2, 1, 3).reshape(b * self.h, n, d // self.h)

    def forward(self, x):
        b, n, d = x.shape
        if n > self.max_len:
            raise ValueError("too many tokens")
        w = self.qkv.weight
        q, k, v = (self.fold(x @ w[i * d : (i + 1) * d].T) for i in range(3))
        exps = torch.bmm(q / (d // self.h) ** 0.5, k.transpose(1, 2))
        exps = (exps - exps.amax(-1, keepdim=True)).exp().masked_fill(self.later[:n, :n], 0)
        mixed = torch.bmm(self.drop(exps / exps.sum(-1, keepdim=True)), v)
        return self.out(mixed.view(b, self.h, n, -1).transpose(1, 2).reshape(b, n, d))
