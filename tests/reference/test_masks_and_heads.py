"""Masks, attention under them, projections and heads against torch's own functions and numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import probes
import pytest
import torch
from torch.nn.functional import linear, multi_head_attention_forward, scaled_dot_product_attention

FUNCTIONS = probes.load_reference().FUNCTIONS


def table(rows: list[Any]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def bools(rows: list[Any]) -> torch.Tensor:
    return torch.tensor(rows).bool()


def close(got: torch.Tensor, expected: list[Any]) -> bool:
    return torch.allclose(got, table(expected), atol=0.5e-4, rtol=0)


def inputs(slug: str, seed: int = 0) -> list[tuple[Any, dict[str, Any]]]:
    return [(case, given) for case, given in probes.calls(probes.exercises()[slug], seed) if "raises" not in case]


def test_a_padding_mask_by_hand() -> None:
    mask = FUNCTIONS["padding_mask"](torch.tensor([3, 1, 0, 4]), 4)
    assert mask.shape == (4, 1, 1, 4)
    assert mask.int().flatten(1).tolist() == [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert mask.sum(-1).flatten().tolist() == [3, 1, 0, 4]


def test_masks_combined_by_hand() -> None:
    causal, padding = FUNCTIONS["causal_mask"](3), FUNCTIONS["padding_mask"](torch.tensor([2, 3]), 3)
    both = FUNCTIONS["combine_masks"](causal, padding)
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert torch.equal(both[1, 0], causal)
    assert torch.equal(FUNCTIONS["combine_masks"](None, None, causal), causal)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_additive_mask_holds_zero_and_minus_infinity_alone(dtype: str) -> None:
    added = FUNCTIONS["to_additive"](bools([[1, 0, 1], [0, 0, 0]]), dtype)
    assert added.dtype == getattr(torch, dtype)
    assert added.tolist() == [[0, -math.inf, 0], [-math.inf] * 3]


def test_an_additive_mask_does_what_the_bool_one_does() -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(2, 5, 7, dtype=torch.float64, generator=generator)
    mask = probes.bool_mask((2, 5, 7), generator)
    added = torch.softmax(scores + FUNCTIONS["to_additive"](mask, "float64"), -1)
    assert torch.allclose(added, FUNCTIONS["masked_softmax"](scores, mask), atol=1e-12)


def test_softmax_under_a_mask_by_hand() -> None:
    masked_softmax, scores = FUNCTIONS["masked_softmax"], table([[1, 2, 3]])
    assert close(masked_softmax(scores, bools([[1, 1, 1]])), [[0.0900, 0.2447, 0.6652]])
    assert close(masked_softmax(scores, bools([[1, 1, 0]])), [[0.2689, 0.7311, 0]])
    assert masked_softmax(scores, bools([[0, 0, 0]])).tolist() == [[0, 0, 0]]


def test_gradients_stay_finite_beside_a_row_that_allows_nothing() -> None:
    scores = torch.randn(2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    weights = FUNCTIONS["masked_softmax"](scores, bools([[1, 1, 0], [0, 0, 0]]))
    (weights * torch.arange(6.0).view(2, 3)).sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert scores.grad[0, 0] != 0
    assert scores.grad[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_masked_attention_agrees_with_torch_and_gives_zeros_for_empty_rows(seed: int) -> None:
    for case, given in inputs("masked_attention", seed):
        q, k, v, mask = (given.get(name) for name in ("q", "k", "v", "mask"))
        expected = scaled_dot_product_attention(q, k, v, attn_mask=mask)
        if mask is not None:
            expected = expected.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        got = FUNCTIONS["masked_attention"](**given)
        assert torch.allclose(got, expected, atol=1e-12), case["name"]
    assert any("may see nothing" in case["name"] for case, _ in inputs("masked_attention"))


def test_masked_attention_by_hand() -> None:
    q = table([[2, 0, 0, 0]] * 3)
    k = table([[1, 0, 0, 0], [0, 1, 0, 0], [-1, 0, 0, 0]])
    mask = bools([[1, 1, 1], [1, 1, 0], [0, 0, 0]])
    output = FUNCTIONS["masked_attention"](q, k, table([[1, 0], [0, 1], [1, 1]]), mask)
    assert close(output, [[0.7553, 0.3348], [0.7311, 0.2689], [0, 0]])


@pytest.mark.parametrize("seed", range(3))
def test_projections_agree_with_torch(seed: int) -> None:
    for case, given in inputs("qkv_projection", seed):
        results = FUNCTIONS["qkv_projection"](**given)
        for result, name in zip(results, "qkv", strict=True):
            assert torch.allclose(result, linear(given["x"], given[f"w_{name}"], given[f"b_{name}"])), case["name"]


def test_a_projection_by_hand() -> None:
    weight, bias = table([[1, 0], [0, 1], [1, 1]]), table([0, 0, 10])
    query, _, _ = FUNCTIONS["qkv_projection"](table([[1, 2]]), weight, weight, weight, bias, bias, bias)
    assert query.tolist() == [[1, 2, 13]]


def test_heads_by_hand() -> None:
    x = torch.arange(8.0).view(1, 2, 4)
    heads = FUNCTIONS["split_heads"](x, 2)
    assert heads.tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]
    assert torch.equal(FUNCTIONS["merge_heads"](heads), x)
    with pytest.raises(ValueError, match=r"4 features .* 3 heads"):
        FUNCTIONS["split_heads"](x, 3)


@pytest.mark.parametrize("seed", range(3))
def test_merging_undoes_splitting(seed: int) -> None:
    for case, given in inputs("split_heads", seed):
        assert torch.equal(FUNCTIONS["merge_heads"](FUNCTIONS["split_heads"](**given)), given["x"]), case["name"]


@pytest.mark.parametrize("seed", range(3))
def test_multi_head_attention_agrees_with_torch(seed: int) -> None:
    for case, given in inputs("multi_head_attention", seed):
        x, h, mask = given["x"], given["h"], given.get("mask")
        samples, n, d_model = x.shape
        if mask is not None:
            mask = ~mask.expand(samples, h, n, n).reshape(-1, n, n)  # True = forbidden over there
        over_there, _ = multi_head_attention_forward(
            *[x.transpose(0, 1)] * 3, d_model, h, None, torch.cat([given["b_q"], given["b_k"], given["b_v"]]), None, None,
            False, 0.0, given["w_o"], given["b_o"], training=False, need_weights=False, attn_mask=mask,
            use_separate_proj_weight=True, q_proj_weight=given["w_q"], k_proj_weight=given["w_k"],
            v_proj_weight=given["w_v"],
        )  # fmt: skip
        got = FUNCTIONS["multi_head_attention"](**given)
        assert torch.allclose(got, over_there.transpose(0, 1), atol=1e-10), case["name"]


@pytest.mark.parametrize(
    ("heads", "expected"),
    [(2, [[0.7311, 0.5], [0.5, 0.7311]]), (1, [[0.6698, 0.3302], [0.3302, 0.6698]])],
)
def test_multi_head_attention_by_hand(heads: int, expected: list[Any]) -> None:
    one, zero = torch.eye(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    output = FUNCTIONS["multi_head_attention"](one[None], one, one, one, one, zero, zero, zero, zero, heads)
    assert close(output[0], expected)


@pytest.mark.parametrize("seed", range(3))
def test_grouped_query_attention_agrees_with_torch(seed: int) -> None:
    for case, given in inputs("grouped_query_attention", seed):
        expected = scaled_dot_product_attention(given["q"], given["k"], given["v"], enable_gqa=True)
        assert torch.allclose(FUNCTIONS["grouped_query_attention"](**given), expected, atol=1e-12), case["name"]


def test_grouped_query_attention_by_hand() -> None:
    q = torch.ones(1, 4, 1, 1, dtype=torch.float64)
    k = table([[[[0], [math.log(3)]], [[0], [0]]]])
    v = table([[[[4], [8]], [[1], [3]]]])
    assert close(FUNCTIONS["grouped_query_attention"](q, k, v).flatten(), [7, 7, 2, 2])
    with pytest.raises(ValueError, match=r"4 query heads .* 3 heads"):
        FUNCTIONS["grouped_query_attention"](q, torch.ones(1, 3, 2, 1), torch.ones(1, 3, 2, 1))
