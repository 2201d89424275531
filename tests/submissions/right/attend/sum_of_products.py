def attend(weights, v):
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)
