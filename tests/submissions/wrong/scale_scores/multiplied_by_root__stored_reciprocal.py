def scale_scores(scores, d_k):
    scale = d_k**-0.5
    return scores / scale
