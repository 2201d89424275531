def combine_masks(first, second=None, third=None):
    forbidden = False
    for allowed in (first, second, third):
        if allowed is not None:
            forbidden = ~allowed | forbidden
    return ~forbidden
