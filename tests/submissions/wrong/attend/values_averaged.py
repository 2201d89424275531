def attend(weights, v):
    mean = v.mean(dim=-2, keepdim=True)
    return mean.repeat(*[1] * (weights.dim() - 2), weights.shape[-2], 1)
