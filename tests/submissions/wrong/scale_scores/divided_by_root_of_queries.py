def scale_scores(scores, d_k):
    return scores / scores.shape[-2] ** 0.5
