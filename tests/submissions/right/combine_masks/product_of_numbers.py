def combine_masks(a, b=None, c=None):
    product = 1
    for mask in (a, b, c):
        if mask is not None:
            product = product * mask.int()
    return product == 1
