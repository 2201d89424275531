import torch


def feed_forward(x, w1, b1, w2, b2):
    columns = x.transpose(-2, -1)  # (…, d, n)
    hidden = w1 @ columns + b1[:, None]
    hidden = torch.maximum(hidden, torch.zeros_like(hidden))
    return (w2 @ hidden + b2[:, None]).transpose(-2, -1)
