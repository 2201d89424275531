import torch


def masked_attention(q, k, v, mask=None):
    # one more key, always allowed, chosen only where there is no other
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    nothing = scores.new_full((*scores.shape[:-1], 1), -torch.inf)
    if mask is not None:
        nothing = nothing.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    weights = torch.softmax(torch.cat([scores, nothing], dim=-1), dim=-1)
    return weights[..., :-1] @ v
