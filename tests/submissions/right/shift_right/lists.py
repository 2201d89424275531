import torch


def shift_right(ids, start, padding):
    rows = ids.tolist()
    inputs = [[start, *row[:-1]] for row in rows]
    labels = [[-100 if token == padding else token for token in row] for row in rows]
    return [torch.tensor(inputs), torch.tensor(labels)]
