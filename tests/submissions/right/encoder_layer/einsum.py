import torch
from torch.nn.functional import layer_norm


def encoder_layer(x, weights, h, mask=None):
    d = x.shape[-1]
    q, k, v = (torch.einsum("bnd,hed->bhne", x, weights[name].view(h, -1, d)) for name in ("w_q", "w_k", "w_v"))
    scores = torch.einsum("bhie,bhje->bhij", q, k) * (d // h) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    mixed = torch.einsum("bhij,bhje->bihe", scores.softmax(-1), v)
    out = torch.einsum("bihe,dhe->bid", mixed, weights["w_o"].view(d, h, -1))
    a = layer_norm(x + out, (d,), weights["gamma_1"], weights["beta_1"])
    hidden = (torch.einsum("bnd,fd->bnf", a, weights["w_1"]) + weights["b_1"]).clamp_min(0)
    out = torch.einsum("bnf,df->bnd", hidden, weights["w_2"]) + weights["b_2"]
    return layer_norm(a + out, (d,), weights["gamma_2"], weights["beta_2"])
