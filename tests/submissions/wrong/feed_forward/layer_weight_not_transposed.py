import torch


def feed_forward(x, w1, b1, w2, b2):
    hidden = torch.relu(x @ w1 + b1)
    return hidden @ w2 + b2
