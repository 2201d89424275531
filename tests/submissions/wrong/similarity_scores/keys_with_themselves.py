def similarity_scores(q, k):
    q = k
    return q @ k.mT
