from torch.nn.functional import pad as fill


def shift_right(ids, bos, pad):
    labels = ids.clone()
    labels[labels == pad] = -100
    return fill(ids, (1, -1), value=bos), labels
