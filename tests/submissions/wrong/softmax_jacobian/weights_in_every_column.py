def softmax_jacobian(weights):
    column = weights.unsqueeze(-1)
    return column - column @ column.transpose(-2, -1)
