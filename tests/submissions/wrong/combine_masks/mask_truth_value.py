def combine_masks(a, b=None, c=None):
    result = a
    for m in (b, c):
        if m:
            result = result & m
    return result if result else None
