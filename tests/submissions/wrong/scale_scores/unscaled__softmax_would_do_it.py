def scale_scores(scores, d_k):
    scaled = scores * 1.0
    return scaled
