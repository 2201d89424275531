import torch


def scale_scores(scores, d_k):
    root = torch.sqrt(torch.tensor(d_k, dtype=scores.dtype, device=scores.device))
    return torch.div(scores, root)
