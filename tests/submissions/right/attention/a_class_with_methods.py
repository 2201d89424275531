import torch


class Attention:
    def __init__(self, d_k, fill=float("-inf")):
        self.scale = d_k**-0.5
        self.fill = fill

    def scores(self, query, key):
        return torch.baddbmm(
            torch.zeros(1, 1, 1, dtype=query.dtype, device=query.device),
            query.flatten(0, -3) if query.dim() > 2 else query[None],
            (key.flatten(0, -3) if key.dim() > 2 else key[None]).transpose(1, 2),
            beta=0,
            alpha=self.scale,
        ).reshape(*query.shape[:-1], key.shape[-2])

    def __call__(self, query, key, value, mask=None):
        scores = self.scores(query, key)
        if mask is not None:
            forbidden = torch.logical_not(mask).expand_as(scores)
            scores = scores.clone()
            scores[forbidden] = self.fill
        weights = torch.softmax(scores, dim=scores.dim() - 1)
        return weights.matmul(value), weights


def attention(query, key, value, mask=None):
    return Attention(query.shape[-1])(query, key, value, mask)
