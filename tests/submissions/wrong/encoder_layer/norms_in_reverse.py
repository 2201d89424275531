import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self, weights, h):
        super().__init__()
        self.w, self.h = weights, h

    def attend(self, x, mask):
        b, n, d = x.shape
        packed = torch.cat([self.w["w_q"], self.w["w_k"], self.w["w_v"]])
        q, k, v = (x @ packed.T).reshape(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.mT).div((d / self.h) ** 0.5)
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        return scores.softmax(dim=3).matmul(v).permute(0, 2, 1, 3).contiguous().view(b, n, d) @ self.w["w_o"].T

    def norm(self, x, i):
        return functional.layer_norm(x, [x.size(-1)], self.w["gamma_" + i], self.w["beta_" + i])

    def forward(self, x, mask):
        a = self.norm(x + self.attend(x, mask), "2")
        hidden = functional.relu(functional.linear(a, self.w["w_1"], self.w["b_1"]))
        return self.norm(a + functional.linear(hidden, self.w["w_2"], self.w["b_2"]), "1")


def encoder_layer(x, weights, h, mask=None):
    return Layer(weights, h)(x, mask)
