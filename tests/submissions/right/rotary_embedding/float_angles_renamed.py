import torch


def rotary_embedding(vectors, index=None, theta=10000.0):
    tokens, features = vectors.shape[-2], vectors.shape[-1]
    if features % 2:
        raise ValueError("features come in pairs")
    if index is None:
        index = torch.arange(tokens, device=vectors.device)
    step = torch.pow(theta, -torch.arange(0, features, 2, device=vectors.device, dtype=vectors.dtype) / features)
    angle = index.to(vectors.dtype).unsqueeze(-1) * step
    out = torch.empty_like(vectors)
    even, odd = vectors[..., ::2], vectors[..., 1::2]
    out[..., ::2] = even * torch.cos(angle) - odd * torch.sin(angle)
    out[..., 1::2] = even * torch.sin(angle) + odd * torch.cos(angle)
    return out
