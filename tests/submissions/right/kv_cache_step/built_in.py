import torch
import torch.nn.functional as F


def kv_cache_step(k_cache, v_cache, q, k, v):
    if k_cache is not None:
        k = torch.cat((k_cache, k), -2)
        v = torch.cat((v_cache, v), -2)
    past = k.size(-2) - q.size(-2)
    i = torch.arange(q.size(-2), device=q.device).unsqueeze(1)
    j = torch.arange(k.size(-2), device=q.device).unsqueeze(0)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=j <= i + past), k, v
