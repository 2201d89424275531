import torch


def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    rows = []
    for row, allowed in zip(scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])):
        weights = torch.zeros_like(row)
        if allowed.any():
            weights[allowed] = torch.softmax(row[allowed], dim=0)
        rows.append(weights)
    return torch.stack(rows).view(scores.shape)
