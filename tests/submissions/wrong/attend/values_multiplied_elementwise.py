def attend(weights, v):
    return weights * v
