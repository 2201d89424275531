import torch


def blockwise_attention(q, k, v, block):
    scale = q.shape[-1] ** -0.5
    out, log_sum = None, None
    for keys, values in zip(k.split(block, dim=-2), v.split(block, dim=-2)):
        scores = (q * scale) @ keys.transpose(-1, -2)
        part_sum = torch.logsumexp(scores, dim=-1, keepdim=True)
        part = torch.softmax(scores, dim=-1) @ values
        if out is None:
            out, log_sum = part, part_sum
        else:
            joined = torch.logaddexp(log_sum, part_sum)
            out = out * torch.exp(log_sum - joined) + part * torch.exp(part_sum - joined)
            log_sum = joined
    return out
