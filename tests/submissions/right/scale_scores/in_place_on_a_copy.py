import numpy as np


def scale_scores(scores, d_k):
    result = scores.clone()
    result /= np.sqrt(d_k)
    return result
