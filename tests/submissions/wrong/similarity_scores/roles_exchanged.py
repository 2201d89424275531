def similarity_scores(q, k):
    return k @ q.transpose(-2, -1)
