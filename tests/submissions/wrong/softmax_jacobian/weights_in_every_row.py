def softmax_jacobian(weights):
    row, column = weights.unsqueeze(-2), weights.unsqueeze(-1)
    return row - column * row
