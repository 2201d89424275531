def similarity_scores(q, k):
    difference = q[..., :, None, :] - k[..., None, :, :]
    return -(difference**2).sum(-1)
