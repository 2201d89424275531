import torch
import torch.nn.functional as F


def soft_knn(query, keys, values, similarity, tau):
    if similarity == "dot":
        scores = query @ keys.transpose(-2, -1)
    elif similarity == "cosine":
        scores = F.normalize(query, dim=-1) @ F.normalize(keys, dim=-1).transpose(-2, -1)
    elif similarity == "neg_sq_dist":
        scores = -torch.cdist(query, keys)
    else:
        raise ValueError(similarity)
    weights = torch.softmax(scores / tau, dim=-1)
    return weights @ values
