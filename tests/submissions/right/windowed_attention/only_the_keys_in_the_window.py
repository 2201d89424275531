import torch


def windowed_attention(q, k, v, w):
    n, d = q.shape[-2:]
    rows = []
    for i in range(n):
        part = slice(max(0, i - w), i + w + 1)
        scores = q[..., i : i + 1, :] @ k[..., part, :].transpose(-1, -2) * d**-0.5
        rows.append(torch.softmax(scores, -1) @ v[..., part, :])
    return torch.cat(rows, dim=-2)
