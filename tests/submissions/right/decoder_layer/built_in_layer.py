import torch
from torch import nn
from torch.func import functional_call


def decoder_layer(x, memory, weights, h, memory_mask=None):
    samples, n, d = x.shape
    m = memory.shape[1]
    layer = nn.TransformerDecoderLayer(d, h, weights["w_1"].shape[0], dropout=0.0, batch_first=True)
    state = {"linear1.weight": weights["w_1"], "linear1.bias": weights["b_1"]}
    state |= {"linear2.weight": weights["w_2"], "linear2.bias": weights["b_2"]}
    for name, prefix in (("self_attn", "w_"), ("multihead_attn", "cross_")):
        state[f"{name}.in_proj_weight"] = torch.cat([weights[prefix + letter] for letter in "qkv"])
        state[f"{name}.in_proj_bias"] = x.new_zeros(3 * d)
        state[f"{name}.out_proj.weight"] = weights[prefix + "o"]
        state[f"{name}.out_proj.bias"] = x.new_zeros(d)
    for i in (1, 2, 3):
        state |= {f"norm{i}.weight": weights[f"gamma_{i}"], f"norm{i}.bias": weights[f"beta_{i}"]}
    future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
    forbidden = None
    if memory_mask is not None:
        forbidden = (~memory_mask).expand(samples, h, n, m).reshape(-1, n, m)
    return functional_call(layer, state, (x, memory), {"tgt_mask": future, "memory_mask": forbidden})
