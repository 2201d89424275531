def shift_right(ids, bos, pad):
    return ids, ids.masked_fill(ids == pad, -100)
