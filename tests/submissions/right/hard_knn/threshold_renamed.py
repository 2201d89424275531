def hard_knn(q, key, value, count):
    if count not in range(1, key.shape[-2] + 1):
        raise ValueError(count)
    scores = q @ key.mT
    lowest = scores.topk(count, dim=-1).values[..., -1:]
    return (scores >= lowest).to(value.dtype) @ value / count
