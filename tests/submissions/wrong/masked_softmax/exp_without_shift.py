import torch


def masked_softmax(scores, mask):
    exps = torch.exp(scores.masked_fill(~mask, float("-inf")))
    weights = exps / exps.sum(dim=-1, keepdim=True)
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
