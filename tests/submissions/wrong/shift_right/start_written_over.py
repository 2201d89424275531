def shift_right(ids, bos, pad):
    inputs = ids.clone()
    inputs[:, 0] = bos
    return inputs, ids.masked_fill(ids == pad, -100)
