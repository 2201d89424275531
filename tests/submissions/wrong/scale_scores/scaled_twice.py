import math


def scale_scores(scores, d_k):
    scaled = scores / math.sqrt(d_k)
    return scaled / math.sqrt(d_k)
