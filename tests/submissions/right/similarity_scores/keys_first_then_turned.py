def similarity_scores(q, k):
    return (k @ q.mT).mT
