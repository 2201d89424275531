def attention(query, key, value, mask=None):
    root = query.shape[-1] ** -0.25
    scores = (query * root) @ (key * root).transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
