def similarity_scores(q, k):
    return q @ k.T
