def combine_masks(a, b=None, c=None):
    result = a
    if b is not None:
        result = b
    if c is not None:
        result = c
    return result
