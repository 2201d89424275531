import torch


def attention(query, key, value, mask=None):
    d_k = torch.tensor(query.shape[-1], dtype=query.dtype, device=query.device)
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(dim=-1) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    output = (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(dim=-2)
    return output, weights
