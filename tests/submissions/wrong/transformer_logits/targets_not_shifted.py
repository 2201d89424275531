import math

import torch


def embed(ids, embedding, pe):
    return embedding[ids] * math.sqrt(embedding.shape[1]) + pe[: ids.shape[1]]


def multi_head(source, memory, w_q, w_k, w_v, w_o, h, mask):
    def split(x):
        return x.reshape(*x.shape[:2], h, -1).transpose(1, 2)

    q, k, v = split(source @ w_q.T), split(memory @ w_k.T), split(memory @ w_v.T)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    heads = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1) @ v
    return heads.transpose(1, 2).flatten(2) @ w_o.T


def norm(x, w, i):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    return w[f"gamma_{i}"] * (x - mean) / torch.sqrt(variance + 1e-5) + w[f"beta_{i}"]


def feed_forward(x, w):
    return torch.relu(x @ w["w_1"].T + w["b_1"]) @ w["w_2"].T + w["b_2"]


def encode(x, w, h, mask):
    x = norm(x + multi_head(x, x, w["w_q"], w["w_k"], w["w_v"], w["w_o"], h, mask), w, 1)
    return norm(x + feed_forward(x, w), w, 2)


def decode(x, memory, w, h, mask):
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
    x = norm(x + multi_head(x, x, w["w_q"], w["w_k"], w["w_v"], w["w_o"], h, causal), w, 1)
    x = norm(x + multi_head(x, memory, w["cross_q"], w["cross_k"], w["cross_v"], w["cross_o"], h, mask), w, 2)
    return norm(x + feed_forward(x, w), w, 3)


def transformer_logits(source, target, embedding, pe, encoder, decoder, h, bos=1, pad=0):
    mask = (source != pad)[:, None, None, :]
    memory = encode(embed(source, embedding, pe), encoder, h, mask)
    return decode(embed(target, embedding, pe), memory, decoder, h, mask) @ embedding.T
