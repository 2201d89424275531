import numpy as np


def output_shapes(q_shape, k_shape, v_shape):
    for shape in (q_shape, k_shape, v_shape):
        if len(shape) < 2:
            raise ValueError("need at least two axes")
    *q_lead, n_q, d_k = q_shape
    *k_lead, n_k, d = k_shape
    *v_lead, n_v, d_v = v_shape
    if d_k != d or n_k != n_v:
        raise ValueError("the shapes do not fit")
    lead = np.broadcast_shapes(tuple(q_lead), tuple(k_lead))
    scores = (*lead, n_q, n_k)
    output = (*np.broadcast_shapes(lead, tuple(v_lead)), n_q, d_v)
    return scores, scores, output
