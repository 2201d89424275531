from torch.nn import functional


def encoder_layer(x, weights, h, mask=None):
    def heads(name):
        return functional.linear(x, weights[name]).unflatten(-1, (h, -1)).movedim(2, 1)

    def norm(z, i):
        return functional.layer_norm(z, z.shape[-1:], weights[f"gamma_{i}"], weights[f"beta_{i}"])

    mixed = functional.scaled_dot_product_attention(heads("w_q"), heads("w_k"), heads("w_v"), attn_mask=mask)
    x = norm(x + functional.linear(mixed.movedim(1, 2).flatten(2), weights["w_o"]), 1)
    hidden = functional.linear(x, weights["w_1"], weights["b_1"])
    return norm(x + functional.linear(hidden, weights["w_2"], weights["b_2"]), 2)
