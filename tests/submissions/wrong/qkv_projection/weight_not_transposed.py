def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    q = x @ w_q + b_q
    k = x @ w_k + b_k
    v = x @ w_v + b_v
    return q, k, v
