import math


def scale_scores(scores, d_k):
    return scores / math.isqrt(d_k)
