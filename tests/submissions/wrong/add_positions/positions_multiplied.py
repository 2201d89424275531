def add_positions(x, pe):
    n, d = x.shape[-2:]
    if n > pe.shape[0]:
        raise ValueError(f"{n} tokens, but the table has {pe.shape[0]} rows")
    return (x * d**0.5) * pe[:n]
