def grouped_query_attention(q, k, v):
    if q.size(1) % k.size(1) != 0:
        raise ValueError("heads do not fit")
    grouped = q.unflatten(1, (k.size(1), -1))
    scores = grouped @ k.unsqueeze(2).mT / q.size(-1) ** 0.5
    return (scores.softmax(dim=-1) @ v.unsqueeze(2)).flatten(1, 2)
