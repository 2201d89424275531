import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    """Hands the work to the function behind nn.MultiheadAttention, which wants True for what is forbidden."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads, self.p = n_heads, dropout
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            shape = (query.shape[0], self.n_heads, query.shape[1], key.shape[1])
            mask = ~mask.expand(shape).reshape(-1, *shape[2:])
        output, _ = F.multi_head_attention_forward(
            query.transpose(0, 1),
            key.transpose(0, 1),
            value.transpose(0, 1),
            query.shape[-1],
            self.n_heads,
            None,
            torch.cat([self.w_q.bias, self.w_k.bias, self.w_v.bias]),
            None,
            None,
            False,
            self.p,
            self.w_o.weight,
            self.w_o.bias,
            training=self.training,
            need_weights=False,
            attn_mask=mask,
            use_separate_proj_weight=True,
            q_proj_weight=self.w_q.weight,
            k_proj_weight=self.w_k.weight,
            v_proj_weight=self.w_v.weight,
        )
        return output.transpose(0, 1)
