def combine_masks(a, b=None, c=None):
    total = 0
    for m in (a, b, c):
        if m is not None:
            total = total + m.int()
    return total > 0
