from torch.nn.functional import layer_norm as built_in


def layer_norm(x, gamma, beta, eps=1e-5):
    return built_in(x, x.shape[-1:], gamma, beta, eps)
