import torch
from torch import nn
from torch.func import functional_call


def attention_state(name, weights, prefix):
    packed = torch.cat([weights[prefix + letter] for letter in "qkv"])
    return {
        f"{name}.in_proj_weight": packed,
        f"{name}.in_proj_bias": packed.new_zeros(packed.shape[0]),
        f"{name}.out_proj.weight": weights[prefix + "o"],
        f"{name}.out_proj.bias": packed.new_zeros(packed.shape[1]),
    }


def rest_of_state(weights, norms):
    state = {f"linear{i}.weight": weights[f"w_{i}"] for i in (1, 2)} | {
        f"linear{i}.bias": weights[f"b_{i}"] for i in (1, 2)
    }
    for i in range(1, norms + 1):
        state |= {f"norm{i}.weight": weights[f"gamma_{i}"], f"norm{i}.bias": weights[f"beta_{i}"]}
    return state


def embedded(ids, embedding, pe):
    tokens = nn.functional.embedding(ids, embedding)
    return torch.add(pe.narrow(0, 0, ids.size(1)), tokens, alpha=embedding.size(1) ** 0.5)


def transformer_logits(source, target, embedding, pe, encoder, decoder, h, bos=1, pad=0):
    d, f = embedding.shape[1], encoder["w_1"].shape[0]
    pads = source == pad
    options = {"dropout": 0.0, "batch_first": True}
    state = attention_state("self_attn", encoder, "w_") | rest_of_state(encoder, 2)
    layer = nn.TransformerEncoderLayer(d, h, f, **options)
    memory = functional_call(layer, state, (embedded(source, embedding, pe),), {"src_key_padding_mask": pads})
    shifted = target.roll(1, dims=1)
    shifted[:, 0] = bos
    n = target.shape[1]
    future = torch.ones(n, n, dtype=torch.bool, device=target.device).triu(1)
    state = attention_state("self_attn", decoder, "w_") | attention_state("multihead_attn", decoder, "cross_")
    layer = nn.TransformerDecoderLayer(d, h, f, **options)
    masks = {"tgt_mask": future, "memory_key_padding_mask": pads}
    y = functional_call(layer, state | rest_of_state(decoder, 3), (embedded(shifted, embedding, pe), memory), masks)
    return y @ embedding.T
