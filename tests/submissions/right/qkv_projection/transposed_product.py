def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    return x @ w_q.T + b_q, x @ w_k.T + b_k, x @ w_v.T + b_v
