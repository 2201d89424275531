import torch


def rotary_embedding(x, positions=None, base=10000.0):
    n, d = x.shape[-2:]
    if d % 2:
        raise ValueError("odd")
    where = range(n) if positions is None else positions.tolist()
    turn = torch.zeros(n, d, d, dtype=torch.float64)
    for row, p in enumerate(where):
        for i in range(d // 2):
            angle = torch.tensor(p / base ** (2 * i / d), dtype=torch.float64)
            c, s = angle.cos(), angle.sin()
            turn[row, 2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, -s], [s, c]])
    return torch.einsum("nij,...nj->...ni", turn.to(x.dtype), x)
