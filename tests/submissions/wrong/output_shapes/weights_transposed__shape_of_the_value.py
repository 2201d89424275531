import numpy as np


def output_shapes(q_shape, k_shape, v_shape):
    for shape in (q_shape, k_shape, v_shape):
        if len(shape) < 2:
            raise ValueError("too few axes")
    if q_shape[-1] != k_shape[-1]:
        raise ValueError("query and key have different features")
    if k_shape[-2] != v_shape[-2]:
        raise ValueError("each key needs a value")
    n_q, n_k, d_v = q_shape[-2], k_shape[-2], v_shape[-1]
    lead = np.broadcast_shapes(q_shape[:-2], k_shape[:-2])
    out_lead = np.broadcast_shapes(lead, v_shape[:-2])
    scores = (*lead, n_q, n_k)
    output = (*out_lead, *v_shape[-2:])
    return scores, scores, output
