import torch


def five_steps(q, k, v, mask):
    scores = torch.matmul(q, k.mT)
    scaled = scores.clone()
    scaled /= q.shape[-1] ** 0.5
    bias = torch.zeros(mask.shape, dtype=q.dtype, device=q.device)
    bias.masked_fill_(mask.logical_not(), -torch.inf)
    masked = scaled + bias
    exponentials = torch.exp(masked - masked.amax(dim=-1, keepdim=True))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return scores, scaled, masked, weights, torch.matmul(weights, v)
