import torch


def alibi_bias(queries, keys, heads):
    ratio = 2 ** (-8 / heads)
    slopes = torch.tensor([ratio ** (k + 1) for k in range(heads)])
    at = torch.arange(keys - queries, keys, dtype=torch.float32)
    far = torch.cdist(at.unsqueeze(1), torch.arange(keys, dtype=torch.float32).unsqueeze(1), p=1)
    return torch.einsum("h,ij->hij", -slopes, far)
