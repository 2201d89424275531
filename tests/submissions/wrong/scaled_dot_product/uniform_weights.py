def scaled_dot_product(q, k, v):
    n_q, n_k = q.shape[-2], k.shape[-2]
    weights = v.new_full((*q.shape[:-2], n_q, n_k), 1 / n_k)
    return weights @ v
