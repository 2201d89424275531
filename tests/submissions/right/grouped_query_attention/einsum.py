import torch


def grouped_query_attention(q, k, v):
    B, h_q, n_q, d = q.shape
    h_kv = k.shape[1]
    if h_q // h_kv * h_kv != h_q:
        raise ValueError("h_q, h_kv")
    q = q.reshape(B, h_kv, h_q // h_kv, n_q, d)
    weights = torch.einsum("bhgid,bhjd->bhgij", q, k).div(d**0.5).softmax(-1)
    return torch.einsum("bhgij,bhje->bhgie", weights, v).reshape(B, h_q, n_q, -1)
