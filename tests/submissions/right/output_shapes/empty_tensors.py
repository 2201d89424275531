import torch


def output_shapes(q_shape, k_shape, v_shape):
    if min(map(len, (q_shape, k_shape, v_shape))) < 2:
        raise ValueError("too few axes")
    q, k, v = (torch.zeros(shape) for shape in (q_shape, k_shape, v_shape))
    try:
        scores = q @ k.transpose(-2, -1)
        output = scores @ v
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    return tuple(scores.shape), tuple(scores.shape), tuple(output.shape)
