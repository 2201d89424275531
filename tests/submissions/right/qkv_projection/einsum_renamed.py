import torch


def qkv_projection(tokens, Wq, Wk, Wv, bq, bk, bv):
    def layer(W, b):
        return torch.einsum("...i,oi->...o", tokens, W) + b

    return layer(Wq, bq), layer(Wk, bk), layer(Wv, bv)
