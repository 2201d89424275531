def scale_scores(scores, d_k):
    return scores / int(d_k**0.5)
