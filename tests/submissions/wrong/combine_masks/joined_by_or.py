def combine_masks(a, b=None, c=None):
    masks = [m for m in (a, b, c) if m is not None]
    result = masks[0]
    for m in masks[1:]:
        result = result | m
    return result
