def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    query = x @ w_q.T + b_q
    key = x @ w_k.T + b_k
    value = x @ w_k.T + b_k
    return query, key, value
