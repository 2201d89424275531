import torch


def masked_softmax(scores, mask):
    turned = scores.transpose(-2, -1)
    allowed = mask.expand(scores.shape).transpose(-2, -1)
    nothing = ~allowed.any(dim=-2, keepdim=True)
    turned = turned.masked_fill(~allowed, -torch.inf).masked_fill(nothing, 0.0)
    return torch.softmax(turned, dim=-2).masked_fill(nothing, 0.0).transpose(-2, -1)
