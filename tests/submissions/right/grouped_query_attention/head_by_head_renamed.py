import torch


def grouped_query_attention(queries, keys, values):
    group, rest = divmod(queries.shape[1], keys.shape[1])
    if rest:
        raise ValueError("uneven groups")
    outputs = []
    for i in range(queries.shape[1]):
        scores = queries[:, i] @ keys[:, i // group].transpose(1, 2)
        weights = torch.softmax(scores / queries.shape[-1] ** 0.5, dim=-1)
        outputs.append(weights @ values[:, i // group])
    return torch.stack(outputs, dim=1)
