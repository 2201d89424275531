import math

import torch


def split(x, h):
    b, n, d = x.shape
    return x.view(b, n, h, d // h).transpose(1, 2)


def attention(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(variance + eps) + beta


def encoder_layer(x, weights, h, mask=None):
    w = weights
    heads = attention(split(x @ w["w_q"].T, h), split(x @ w["w_k"].T, h), split(x @ w["w_v"].T, h), mask)
    joined = heads.transpose(1, 2).reshape(x.shape) @ w["w_o"].T
    a = layer_norm(x + joined, w["gamma_1"], w["beta_1"])
    ffn = torch.relu(a @ w["w_1"].T + w["b_1"]) @ w["w_2"].T + w["b_2"]
    return layer_norm(a + ffn, w["gamma_2"], w["beta_2"])
