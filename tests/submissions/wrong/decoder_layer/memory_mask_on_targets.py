import math

import torch


def multi_head(source, memory, w_q, w_k, w_v, w_o, h, mask):
    def split(x):
        return x.reshape(*x.shape[:2], h, -1).transpose(1, 2)

    q, k, v = split(source @ w_q.T), split(memory @ w_k.T), split(memory @ w_v.T)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    heads = torch.softmax(scores, dim=-1) @ v
    return heads.transpose(1, 2).flatten(2) @ w_o.T


def layer_norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta


def decoder_layer(x, memory, weights, h, memory_mask=None):
    w = weights
    a = x + multi_head(x, x, w["w_q"], w["w_k"], w["w_v"], w["w_o"], h, memory_mask)
    a = layer_norm(a, w["gamma_1"], w["beta_1"])
    c = a + multi_head(a, memory, w["cross_q"], w["cross_k"], w["cross_v"], w["cross_o"], h, memory_mask)
    c = layer_norm(c, w["gamma_2"], w["beta_2"])
    y = c + torch.relu(c @ w["w_1"].T + w["b_1"]) @ w["w_2"].T + w["b_2"]
    return layer_norm(y, w["gamma_3"], w["beta_3"])
