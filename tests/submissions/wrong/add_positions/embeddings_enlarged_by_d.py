def add_positions(x, pe):
    n, d = x.shape[-2:]
    if n > pe.shape[0]:
        raise ValueError(f"{n} tokens, but the table has {pe.shape[0]} rows")
    return d * x + pe[:n]
