from itertools import zip_longest


def broadcast(a, b):
    joined = []
    for x, y in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if x != y and 1 not in (x, y):
            raise ValueError(f"cannot broadcast {x} with {y}")
        joined.append(y if x == 1 else x)
    return tuple(reversed(joined))


def product(a, b):
    if len(a) < 2 or len(b) < 2:
        raise ValueError("a matrix has two axes")
    if a[-1] != b[-2]:
        raise ValueError(f"{a[-1]} columns meet {b[-2]} rows")
    return broadcast(a[:-2], b[:-2]) + (a[-2], b[-1])


def transposed(shape):
    if len(shape) < 2:
        raise ValueError("a matrix has two axes")
    return shape[:-2] + (shape[-1], shape[-2])


def output_shapes(q_shape, k_shape, v_shape):
    scores = product(q_shape, transposed(k_shape))
    weights = scores
    return scores, weights, product(weights, v_shape)
