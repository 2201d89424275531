import torch


def softmax_rows(scores, axis):
    total = torch.logsumexp(scores, dim=axis, keepdim=True)
    return torch.exp(scores - torch.where(total.isfinite(), total, torch.zeros_like(total)))
