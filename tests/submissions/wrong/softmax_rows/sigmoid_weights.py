def softmax_rows(x, dim):
    return x.sigmoid()
