import torch


def grouped_query_attention(q, k, v):
    h_q, h_kv = q.shape[1], k.shape[1]
    if h_q % h_kv != 0:
        raise ValueError("h_q must be a multiple of h_kv")
    outputs = []
    for i in range(h_q):
        j = i % h_kv
        weights = torch.softmax(q[:, i] @ k[:, j].transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1)
        outputs.append(weights @ v[:, j])
    return torch.stack(outputs, dim=1)
