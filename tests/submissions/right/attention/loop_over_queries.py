import torch


def attention(query, key, value, mask=None):
    outputs, weights = [], []
    for i in range(query.shape[-2]):
        scores = (key @ query[..., i, :].unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[..., min(i, mask.shape[-2] - 1), :], float("-inf"))
        w = torch.softmax(scores, dim=-1)
        weights.append(w)
        outputs.append((w.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2), torch.stack(weights, dim=-2)
