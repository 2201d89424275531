def combine_masks(a, b=None, c=None):
    combined = None
    for mask in (a, b, c):
        if mask is not None:
            combined = mask if combined is None else combined & mask
    return combined
