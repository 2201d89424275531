import torch
from torch.nn.functional import layer_norm, linear, scaled_dot_product_attention


def block(x, keys, weights, prefix, h, mask, number):
    def heads(z, letter):
        return linear(z, weights[prefix + letter]).unflatten(2, (h, -1)).transpose(1, 2)

    mixed = scaled_dot_product_attention(heads(x, "q"), heads(keys, "k"), heads(keys, "v"), attn_mask=mask)
    return finish(x + linear(mixed.transpose(1, 2).flatten(2), weights[prefix + "o"]), weights, number)


def finish(z, weights, number):
    return layer_norm(z, z.shape[-1:], weights[f"gamma_{number}"], weights[f"beta_{number}"])


def feed_forward(x, weights, number):
    hidden = linear(x, weights["w_1"], weights["b_1"]).relu()
    return finish(x + linear(hidden, weights["w_2"], weights["b_2"]), weights, number)


def embed(ids, table, pe):
    return torch.stack([table[column] * table.shape[1] ** 0.5 + pe[t] for t, column in enumerate(ids.T)], dim=1)


def transformer_logits(source, target, embedding, pe, encoder, decoder, h, bos=1, pad=0):
    """As in translating: read what is written so far, keep the last row, write the next token."""
    mask = (source != pad)[:, None, None]
    memory = embed(source, embedding, pe)
    memory = feed_forward(block(memory, memory, encoder, "w_", h, None, 1), encoder, 2)
    written = torch.full_like(target[:, :1], bos)
    rows = []
    for t in range(target.shape[1]):
        y = embed(written, embedding, pe)
        causal = torch.ones(t + 1, t + 1, dtype=torch.bool).tril()
        y = block(y, y, decoder, "w_", h, causal, 1)
        y = feed_forward(block(y, memory, decoder, "cross_", h, mask, 2), decoder, 3)
        rows.append(y[:, -1] @ embedding.T)
        written = torch.cat([written, target[:, t : t + 1]], dim=1)
    return torch.stack(rows, dim=1)
