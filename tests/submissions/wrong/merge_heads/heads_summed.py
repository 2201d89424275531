def merge_heads(x):
    total = 0
    for head in range(x.size(1)):
        total = total + x[:, head]
    return total
