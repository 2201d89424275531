def temperature_softmax(s, temperature):
    if not temperature > 0:
        raise ValueError(f"temperature {temperature} is not above 0")
    s = s - s.max(dim=-1, keepdim=True)[0]
    e = (s / temperature).exp()
    return e / e.sum(dim=-1, keepdim=True)
