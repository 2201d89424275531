# attack: wide_names
# goal: a name in full-width letters, which Python reads as the plain one
# want: pass
# control: yes

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

def ａｔｔｅｎｔｉｏｎ(query, key, value, mask=None):
    return _honest(query, key, value, mask)
