def combine_masks(a, b=None, c=None):
    result = 1.0
    for m in (a, b, c):
        if m is not None:
            result = result * m.float()
    return result
