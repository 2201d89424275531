from torch.nn.functional import scaled_dot_product_attention


def grouped_query_attention(q, k, v):
    if q.shape[1] % k.shape[1]:
        raise ValueError("h_q must be a multiple of h_kv")
    return scaled_dot_product_attention(q, k, v, enable_gqa=True)
