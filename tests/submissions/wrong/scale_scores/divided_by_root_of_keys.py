import math


def scale_scores(scores, d_k):
    return scores / math.sqrt(scores.size(-1))
