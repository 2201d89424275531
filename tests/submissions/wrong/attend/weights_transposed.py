def attend(weights, v):
    return weights.transpose(-2, -1) @ v
