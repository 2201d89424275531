def layer_norm(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(dim=-1, keepdim=True)) + beta
