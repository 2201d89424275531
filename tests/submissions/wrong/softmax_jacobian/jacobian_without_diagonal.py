def softmax_jacobian(weights):
    return -weights.unsqueeze(-1) * weights.unsqueeze(-2)
