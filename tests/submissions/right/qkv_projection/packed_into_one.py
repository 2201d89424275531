import torch


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    weight, bias = torch.cat([w_q, w_k, w_v]), torch.cat([b_q, b_k, b_v])
    return torch.nn.functional.linear(x, weight, bias).split([len(b_q), len(b_k), len(b_v)], dim=-1)
