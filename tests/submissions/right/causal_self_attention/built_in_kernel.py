import torch
import torch.nn.functional as F


class CausalSelfAttention(torch.nn.Module):
    """The fused kernel, as small GPT models use it; the buffer is there for older versions of torch."""

    def __init__(self, d_model, n_heads, max_len, dropout=0.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be divisible by n_heads")
        self.qkv = torch.nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = torch.nn.Linear(d_model, d_model, bias=False)
        self.heads, self.longest, self.p = n_heads, max_len, dropout
        mask = torch.tril(torch.ones(max_len, max_len, dtype=torch.bool))
        self.register_buffer("mask", mask.view(1, 1, max_len, max_len), persistent=False)

    def forward(self, x):
        batch, tokens, features = x.size()
        if tokens > self.longest:
            raise ValueError("sequence too long")
        q, k, v = self.qkv(x).split(features, dim=2)
        q, k, v = (t.view(batch, tokens, self.heads, features // self.heads).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0)
        return self.out(y.transpose(1, 2).contiguous().view(batch, tokens, features))
