import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, features, heads, p=0.0):
        super().__init__()
        if features % heads:
            raise ValueError(f"{features} / {heads}")
        self.heads = heads
        self.w_q = nn.Linear(features, features)
        self.w_k = nn.Linear(features, features)
        self.w_v = nn.Linear(features, features)
        self.w_o = nn.Linear(features, features)
        self.forget = nn.Dropout(p)
        self.register_buffer("scale", torch.tensor((features // heads) ** -0.5))

    def forward(self, asking, answering, content, allowed=None):
        q = self.w_q(asking).unflatten(2, (self.heads, -1))
        k = self.w_k(answering).unflatten(2, (self.heads, -1))
        v = self.w_v(content).unflatten(2, (self.heads, -1))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * self.scale
        if allowed is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~allowed, float("-inf"))
        return self.w_o(torch.einsum("bhij,bjhd->bihd", self.forget(scores.softmax(-1)), v).flatten(2))
