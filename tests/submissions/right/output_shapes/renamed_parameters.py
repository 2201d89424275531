import torch


def output_shapes(q, k, v):
    if len(q) < 2 or len(k) < 2 or len(v) < 2 or q[-1] != k[-1] or k[-2] != v[-2]:
        raise ValueError
    try:
        first = torch.broadcast_shapes(q[:-2], k[:-2])
        second = torch.broadcast_shapes(first, v[:-2])
    except RuntimeError:
        raise ValueError("leading axes")
    s = tuple(first) + (q[-2], k[-2])
    return (s, s, tuple(second) + (q[-2], v[-1]))
