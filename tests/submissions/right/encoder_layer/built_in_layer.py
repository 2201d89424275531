import torch
from torch import nn
from torch.func import functional_call


def encoder_layer(x, weights, h, mask=None):
    """torch's own layer with the given weights; its masks say True where attending is forbidden."""
    samples, n, d = x.shape
    width = weights["w_1"].shape[0]
    layer = nn.TransformerEncoderLayer(d, h, width, dropout=0.0, batch_first=True, norm_first=False)
    zeros = x.new_zeros(d)
    state = {
        "self_attn.in_proj_weight": torch.cat([weights["w_q"], weights["w_k"], weights["w_v"]]),
        "self_attn.in_proj_bias": x.new_zeros(3 * d),
        "self_attn.out_proj.weight": weights["w_o"],
        "self_attn.out_proj.bias": zeros,
        "linear1.weight": weights["w_1"],
        "linear1.bias": weights["b_1"],
        "linear2.weight": weights["w_2"],
        "linear2.bias": weights["b_2"],
        "norm1.weight": weights["gamma_1"],
        "norm1.bias": weights["beta_1"],
        "norm2.weight": weights["gamma_2"],
        "norm2.bias": weights["beta_2"],
    }
    forbidden = None if mask is None else (~mask).expand(samples, h, n, n).reshape(samples * h, n, n)
    return functional_call(layer, state, (x,), {"src_mask": forbidden})
