import torch


def alibi_bias(n_q, n_k, h):
    bias = torch.zeros(h, n_q, n_k)
    for head in range(h):
        slope = 2 ** (-8 * (head + 1) / h)
        for i in range(n_q):
            for j in range(n_k):
                bias[head, i, j] = -slope * abs(n_k - n_q + i - j)
    return bias
