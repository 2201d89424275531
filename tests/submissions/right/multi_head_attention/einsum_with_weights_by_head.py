import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    if x.shape[-1] % h:
        raise ValueError("not a multiple")

    def project(w, b):
        return torch.einsum("bnm,hdm->bnhd", x, w.unflatten(0, (h, -1))) + b.view(h, -1)

    q, k, v = project(w_q, b_q), project(w_k, b_k), project(w_v, b_v)
    scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    heads = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v)
    return torch.einsum("bihd,ohd->bio", heads, w_o.unflatten(1, (h, -1))) + b_o
