import torch


def masked_attention(q, k, v, mask=None):
    scores = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    output = torch.einsum("...ij,...je->...ie", scores.softmax(dim=-1), v)
    return output if mask is None else output * mask.any(dim=-1, keepdim=True)
