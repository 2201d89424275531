def combine_masks(a, b=None, c=None):
    masks = [m for m in (a, b, c) if m is not None]
    allowed = masks[0]
    for padding in masks[1:]:
        allowed = allowed.logical_and(padding.logical_not())
    return allowed
