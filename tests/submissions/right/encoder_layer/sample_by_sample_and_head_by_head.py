import torch


def norm(token, gamma, beta):
    centred = token - token.mean()
    return gamma * centred / (centred.pow(2).mean() + 1e-5).sqrt() + beta


def encoder_layer(x, weights, h, mask=None):
    samples, n, d = x.shape
    width = d // h
    full = torch.ones(n, n, dtype=torch.bool, device=x.device) if mask is None else mask
    full = full.expand(samples, h, n, n)
    results = []
    for s in range(samples):
        heads = []
        for i in range(h):
            rows = slice(i * width, (i + 1) * width)
            q, k, v = (x[s] @ weights[name][rows].T for name in ("w_q", "w_k", "w_v"))
            scores = (q / width**0.5) @ k.T
            scores = scores.masked_fill(full[s, i].logical_not(), -1e9)
            heads.append(torch.softmax(scores, 1) @ v)
        first = x[s] + torch.cat(heads, 1) @ weights["w_o"].T
        tokens = []
        for token in first:
            a = norm(token, weights["gamma_1"], weights["beta_1"])
            hidden = torch.relu(weights["w_1"] @ a + weights["b_1"])
            tokens.append(norm(a + weights["w_2"] @ hidden + weights["b_2"], weights["gamma_2"], weights["beta_2"]))
        results.append(torch.stack(tokens))
    return torch.stack(results)
