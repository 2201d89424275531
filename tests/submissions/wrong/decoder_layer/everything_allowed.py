from torch.nn.functional import layer_norm, linear, relu, scaled_dot_product_attention


def decoder_layer(x, memory, weights, h, memory_mask=None):
    def heads(source, name):
        return linear(source, weights[name]).unflatten(2, (h, -1)).transpose(1, 2)

    def attend(prefix, asked, answered, **masking):
        q, k, v = heads(asked, prefix + "q"), heads(answered, prefix + "k"), heads(answered, prefix + "v")
        mixed = scaled_dot_product_attention(q, k, v, **masking)
        return linear(mixed.transpose(1, 2).flatten(2), weights[prefix + "o"])

    def add_and_norm(z, change, i):
        return layer_norm(z + change, z.shape[-1:], weights[f"gamma_{i}"], weights[f"beta_{i}"])

    x = add_and_norm(x, attend("w_", x, x), 1)
    x = add_and_norm(x, attend("cross_", x, memory, attn_mask=memory_mask), 2)
    hidden = relu(linear(x, weights["w_1"], weights["b_1"]))
    return add_and_norm(x, linear(hidden, weights["w_2"], weights["b_2"]), 3)
