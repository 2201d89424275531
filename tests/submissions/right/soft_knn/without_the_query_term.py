import torch


def soft_knn(query, keys, values, similarity, tau):
    # |q|² is the same for all keys: softmax does not notice when it is left out
    scores = torch.matmul(query, keys.mT)
    if similarity == "cosine":
        scores = torch.cosine_similarity(query[..., :, None, :], keys[..., None, :, :], dim=-1)
    elif similarity == "neg_sq_dist":
        scores = 2 * scores - keys.square().sum(dim=-1)[..., None, :]
    elif similarity != "dot":
        raise ValueError(similarity)
    scores = scores / tau
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials @ values / exponentials.sum(dim=-1, keepdim=True)
