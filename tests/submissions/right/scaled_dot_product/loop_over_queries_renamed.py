import torch


def scaled_dot_product(query, key, value):
    outputs = []
    for i in range(query.shape[-2]):
        scores = (query[..., i : i + 1, :] * key).sum(dim=-1) / query.shape[-1] ** 0.5
        shares = scores.softmax(dim=-1)
        outputs.append((shares.unsqueeze(-1) * value).sum(dim=-2))
    return torch.stack(outputs, dim=-2)
