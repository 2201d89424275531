"""What modules have to compute against nn.MultiheadAttention, with its weights copied."""

from __future__ import annotations

from typing import Any

import probes
import pytest
import torch
from torch import nn

FUNCTIONS = probes.load_reference().FUNCTIONS


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def module(d_model: int, n_heads: int, bias: bool) -> tuple[nn.MultiheadAttention, dict[str, torch.Tensor]]:
    made = nn.MultiheadAttention(d_model, n_heads, bias=bias, batch_first=True, dtype=torch.float64).eval()
    state = {
        name: drawn(*tensor.shape, seed=place) * 0.4 for place, (name, tensor) in enumerate(made.state_dict().items())
    }
    made.load_state_dict(state)
    return made, state


@pytest.mark.parametrize("n_heads", [1, 2, 3])
def test_causal_self_attention_is_that_of_torch_with_packed_weights(n_heads: int) -> None:
    made, state = module(12, n_heads, bias=False)
    x, n = drawn(2, 5, 12, seed=9), 5
    forbidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    expected, _ = made(x, x, x, attn_mask=forbidden, need_weights=False)
    ours = {"qkv.weight": state["in_proj_weight"], "out.weight": state["out_proj.weight"]}
    got = FUNCTIONS["causal_self_attention"](x, 12, n_heads, 8, state=ours)
    assert torch.allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 2, 3])
def test_multi_head_attention_is_that_of_torch_whose_masks_mean_the_opposite(n_heads: int) -> None:
    made, state = module(12, n_heads, bias=True)
    query, key, value = drawn(2, 5, 12, seed=7), drawn(2, 6, 12, seed=8), drawn(2, 6, 12, seed=9)
    allowed = torch.tensor([[True] * 4 + [False] * 2, [True] * 6])
    expected, _ = made(query, key, value, key_padding_mask=~allowed, need_weights=False)
    weights, biases = state["in_proj_weight"].chunk(3), state["in_proj_bias"].chunk(3)
    ours: dict[str, Any] = {"w_o.weight": state["out_proj.weight"], "w_o.bias": state["out_proj.bias"]}
    for name, weight, bias in zip(("w_q", "w_k", "w_v"), weights, biases, strict=True):
        ours |= {f"{name}.weight": weight, f"{name}.bias": bias}
    got = FUNCTIONS["multi_head_attention_module"](
        query, key, value, allowed[:, None, None, :], d_model=12, n_heads=n_heads, state=ours
    )
    assert torch.allclose(got, expected, atol=1e-12)


def test_the_worked_examples_of_the_prompts() -> None:
    eye = torch.eye(2, dtype=torch.float64)
    x = torch.tensor([[[1.0, 0], [0, 1], [1, 1]]], dtype=torch.float64)
    state = {"qkv.weight": torch.cat([eye] * 3), "out.weight": eye}
    got = FUNCTIONS["causal_self_attention"](x, 2, 1, 3, state=state)
    assert torch.allclose(got[0], torch.tensor([[1, 0], [0.3302, 0.6698], [0.7517, 0.7517]]).double(), atol=5e-5)
    y = torch.tensor([[[1.0, 0], [0, 2]]], dtype=torch.float64)
    names = ("w_q", "w_k", "w_v", "w_o")
    state = {f"{n}.weight": eye for n in names} | {f"{n}.bias": torch.zeros(2).double() for n in names}
    got = FUNCTIONS["multi_head_attention_module"](y, y, y, d_model=2, n_heads=2, state=state)
    assert torch.allclose(got[0], torch.tensor([[0.7311, 1.0], [0.5, 1.9640]]).double(), atol=5e-5)


def test_what_does_not_fit_raises() -> None:
    state = {"qkv.weight": drawn(30, 10), "out.weight": drawn(10, 10)}
    with pytest.raises(ValueError, match="4 heads"):
        FUNCTIONS["causal_self_attention"](drawn(1, 3, 10), 10, 4, 8, state=state)
    with pytest.raises(ValueError, match="9 tokens"):
        FUNCTIONS["causal_self_attention"](drawn(1, 9, 10), 10, 2, 8, state=state)
