import torch


def softmax_rows(x, dim):
    largest = x.amax(dim=dim, keepdim=True)
    largest = largest.masked_fill(largest == -torch.inf, 0.0)
    exponentials = torch.exp(x - largest)
    total = exponentials.sum(dim=dim, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)
