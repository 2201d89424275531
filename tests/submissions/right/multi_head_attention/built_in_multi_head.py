import torch
import torch.nn.functional as F


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h:
        raise ValueError("heads do not fit")
    if mask is not None:
        mask = ~mask.expand(B, h, n, n).reshape(B * h, n, n)  # True = forbidden over there
    seq_first = x.transpose(0, 1)
    output, _ = F.multi_head_attention_forward(
        seq_first,
        seq_first,
        seq_first,
        d_model,
        h,
        in_proj_weight=None,
        in_proj_bias=torch.cat([b_q, b_k, b_v]),
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=w_o,
        out_proj_bias=b_o,
        training=False,
        need_weights=False,
        attn_mask=mask,
        use_separate_proj_weight=True,
        q_proj_weight=w_q,
        k_proj_weight=w_k,
        v_proj_weight=w_v,
    )
    return output.transpose(0, 1)
