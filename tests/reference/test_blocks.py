"""Norm, residual and feed-forward against torch's own layers and the numbers of the prompts."""

from __future__ import annotations

import probes
import pytest
import torch
from torch.nn import functional

FUNCTIONS = probes.load_reference().FUNCTIONS


def double(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


@pytest.mark.parametrize("seed", range(3))
def test_layer_norm_agrees_with_torch(seed: int) -> None:
    for case, arguments in probes.calls(probes.exercises()["layer_norm"], seed):
        x, gamma, beta, eps = (arguments.get(name, 1e-5) for name in ("x", "gamma", "beta", "eps"))
        expected = functional.layer_norm(x, x.shape[-1:], gamma, beta, eps)
        assert torch.allclose(FUNCTIONS["layer_norm"](**arguments), expected, atol=1e-12), case["name"]


def test_layer_norm_by_hand() -> None:
    x, gamma, beta = double(1, 3), double(2, 2), double(0, 1)
    assert torch.allclose(FUNCTIONS["layer_norm"](x, gamma, beta, 0.0), double(-2, 3))
    assert torch.allclose(FUNCTIONS["layer_norm"](x, gamma, beta, 3.0), double(-1, 2))


@pytest.mark.parametrize("seed", range(3))
def test_residual_agrees_with_torch(seed: int) -> None:
    for case, arguments in probes.calls(probes.exercises()["residual"], seed):
        x, w, b, gamma, beta = (arguments[name] for name in ("x", "w", "b", "gamma", "beta"))

        def norm(z: torch.Tensor, gamma: torch.Tensor = gamma, beta: torch.Tensor = beta) -> torch.Tensor:
            return functional.layer_norm(z, z.shape[-1:], gamma, beta)

        pre, post = x + functional.linear(norm(x), w, b), norm(x + functional.linear(x, w, b))
        expected = pre if arguments["mode"] == "pre" else post
        assert torch.allclose(FUNCTIONS["residual"](**arguments), expected, atol=1e-12), case["name"]


def test_residual_by_hand_and_round_a_sublayer_of_zeros() -> None:
    x, w, zeros, ones = double(1, 3), 2 * torch.eye(2, dtype=torch.float64), double(0, 0), double(1, 1)
    assert torch.allclose(FUNCTIONS["residual"](x, w, zeros, ones, zeros, "pre"), double(-1, 5), atol=1e-4)
    assert torch.allclose(FUNCTIONS["residual"](x, w, zeros, ones, zeros, "post"), double(-1, 1), atol=1e-4)
    assert torch.equal(FUNCTIONS["residual"](x, 0 * w, zeros, ones, zeros, "pre"), x)


def test_feed_forward_agrees_with_torch_and_with_the_prompt() -> None:
    for case, (x, w1, b1, w2, b2) in ((c, a.values()) for c, a in probes.calls(probes.exercises()["feed_forward"])):
        expected = functional.linear(functional.relu(functional.linear(x, w1, b1)), w2, b2)
        assert torch.allclose(FUNCTIONS["feed_forward"](x, w1, b1, w2, b2), expected, atol=1e-12), case["name"]
    size = double(1, -1)[:, None], double(0, 0), double(1, 1)[None], double(0)
    assert FUNCTIONS["feed_forward"](double(3, -2)[:, None], *size).flatten().tolist() == [3, 2]
