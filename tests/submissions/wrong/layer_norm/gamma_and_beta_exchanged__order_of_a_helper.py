from torch.nn import functional


def layer_norm(x, gamma, beta, eps=1e-5):
    return functional.layer_norm(x, x.shape[-1:], beta, gamma, eps)
