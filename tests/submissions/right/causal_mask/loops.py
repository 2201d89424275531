import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    rows = []
    for i in range(n_q):
        seen = max(0, min(n_k, i + 1 + n_k - n_q))
        rows.append([True] * seen + [False] * (n_k - seen))
    return torch.tensor(rows, device=device)
