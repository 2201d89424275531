from torch.nn.functional import scaled_dot_product_attention


def masked_attention(q, k, v, mask=None):
    output = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    if mask is not None:
        output = output.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return output
