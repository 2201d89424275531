def scale_scores(s, dim):
    half = dim**0.25
    return s / half / half
