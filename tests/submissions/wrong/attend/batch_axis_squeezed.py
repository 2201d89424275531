def attend(weights, v):
    return (weights @ v).squeeze(0)
