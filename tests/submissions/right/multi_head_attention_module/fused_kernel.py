import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h = n_heads
        self.dropout = dropout

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            for layer, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        p = self.dropout if self.training else 0.0
        return self.w_o(F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p).transpose(1, 2).flatten(2))
