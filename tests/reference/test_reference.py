"""The reference against torch's own functions and numbers worked out by hand."""

from __future__ import annotations

import math
from dataclasses import fields
from functools import cache, partial
from typing import Any

import probes
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

reference = probes.load_reference()
FUNCTIONS = reference.FUNCTIONS

SIX_KEYS = torch.tensor(
    [[1.0, 0.2], [0.9, 0.1], [0.2, 1.0], [-0.2, 0.9], [0.0, -1.0], [-1.0, -0.6]], dtype=torch.float64
)


def close(got: torch.Tensor, expected: list[Any], digits: int) -> bool:
    return torch.allclose(got, torch.tensor(expected, dtype=got.dtype), atol=0.5 * 10**-digits, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_attention_agrees_with_torch_on_every_probe(seed: int) -> None:
    for case, arguments in probes.calls(probes.exercises()["attention"], seed):
        output, weights = FUNCTIONS["attention"](**arguments)
        q, k, v, mask = (arguments.get(name) for name in ("query", "key", "value", "mask"))
        identity = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-2], -1, -1)
        assert torch.allclose(output, scaled_dot_product_attention(q, k, v, attn_mask=mask), atol=1e-12), case["name"]
        assert torch.allclose(weights, scaled_dot_product_attention(q, k, identity, attn_mask=mask), atol=1e-12)


def test_six_keys_by_hand() -> None:
    query, key = SIX_KEYS[:1], SIX_KEYS
    scores = query @ key.T
    assert close(scores[0], [1.04, 0.92, 0.40, -0.02, -0.20, -1.12], 6)
    assert close(FUNCTIONS["scale_scores"](scores, 2)[0], [0.735, 0.651, 0.283, -0.014, -0.141, -0.792], 3)
    output, weights = FUNCTIONS["attention"](query, key, key)
    assert close(weights[0], [0.2732, 0.2510, 0.1738, 0.1291, 0.1137, 0.0593], 4)
    assert torch.allclose(output, weights @ key)


def test_six_keys_with_the_future_masked() -> None:
    mask = torch.tensor([[True, True, True, False, False, False]])
    _, weights = FUNCTIONS["attention"](SIX_KEYS[2:3], SIX_KEYS, SIX_KEYS, mask)
    assert close(weights[0], [0.2865, 0.2632, 0.4504, 0, 0, 0], 4)
    late = probes.wrong(FUNCTIONS["attention"], "mask_after_softmax")
    _, weights = late(query=SIX_KEYS[2:3], key=SIX_KEYS, value=SIX_KEYS, mask=mask)
    assert close(weights[0], [0.1762, 0.1619, 0.2771, 0, 0, 0], 4)


def test_one_query_and_three_keys_by_hand() -> None:
    query = torch.tensor([[2.0, 0, 0, 0]], dtype=torch.float64)
    key = torch.zeros(3, 4, dtype=torch.float64)
    key[0, 0], key[1, 1], key[2, 0] = 1, 1, -1
    value = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    arguments = {"query": query, "key": key, "value": value}
    output, weights = FUNCTIONS["attention"](**arguments)
    assert close(weights[0], [0.6652, 0.2447, 0.0900], 4)
    assert close(output[0], [0.7553, 0.3348], 4)
    assert close(probes.wrong(FUNCTIONS["attention"], "unscaled")(**arguments)[0][0], [0.8827, 0.1332], 4)
    assert close(probes.wrong(FUNCTIONS["attention"], "divided_by_d_k")(**arguments)[0][0], [0.6928, 0.4935], 4)


def test_the_example_of_the_prompt() -> None:
    x = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    output, weights = FUNCTIONS["attention"](x, x, x, FUNCTIONS["causal_mask"](3))
    assert close(weights, [[1, 0, 0], [0.3302, 0.6698, 0], [0.2483, 0.2483, 0.5035]], 4)
    assert close(output, [[1, 0], [0.3302, 0.6698], [0.7517, 0.7517]], 4)
    assert torch.equal(FUNCTIONS["causal_attention"](x, x, x), output)


def test_a_row_that_allows_nothing_gives_nan() -> None:
    x = torch.ones(2, 3)
    output, _ = FUNCTIONS["attention"](x, x, x, torch.tensor([[True, True], [False, False]]))
    assert not output[0].isnan().any()
    assert output[1].isnan().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_dtype_is_kept_and_the_inputs_stay(dtype: torch.dtype) -> None:
    for case, arguments in probes.calls(probes.exercises()["attention"], dtype=dtype):
        before = {name: value.clone() for name, value in arguments.items()}
        output, weights = FUNCTIONS["attention"](**arguments)
        assert (output.dtype, weights.dtype) == (dtype, dtype)
        reach = arguments["query"].double().abs().max() * arguments["key"].double().abs().sum(-1).max()
        assert output.isfinite().all() or reach > torch.finfo(dtype).max, case["name"]
        assert all(torch.equal(before[name], value) for name, value in arguments.items())


def test_masks_by_hand() -> None:
    causal_mask = FUNCTIONS["causal_mask"]
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(2, 5).int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert causal_mask(5, 2).int().tolist() == [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]]
    assert causal_mask(1, 1).dtype == torch.bool
    assert causal_mask(2, 3, device="meta").device.type == "meta"


def test_decoding_step_by_step_equals_the_full_pass() -> None:
    q, k, v = torch.randn(3, 2, 6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).unbind()
    full = FUNCTIONS["causal_attention"](q, k, v)
    for i in range(6):
        assert torch.allclose(
            FUNCTIONS["causal_attention"](q[:, i : i + 1], k[:, : i + 1], v[:, : i + 1]), full[:, i : i + 1]
        )


@pytest.mark.parametrize("seed", range(3))
def test_shapes_agree_with_matrix_products(seed: int) -> None:
    for case, shapes in probes.calls(probes.exercises()["output_shapes"], seed):
        if "raises" in case:
            with pytest.raises(ValueError):
                FUNCTIONS["output_shapes"](**shapes)
            continue
        q, k, v = (torch.empty(shape, device="meta") for shape in shapes.values())
        scores = q @ k.mT
        expected = tuple(scores.shape), tuple(scores.shape), tuple((scores @ v).shape)
        assert FUNCTIONS["output_shapes"](**shapes) == expected, case["name"]


def test_the_numbers_of_the_scaling_prompt() -> None:
    scores = torch.tensor([[2.0, 0.0, -2.0]], dtype=torch.float64)
    assert close(FUNCTIONS["scale_scores"](scores, 4), [[1, 0, -1]], 9)
    assert close(FUNCTIONS["scale_scores"](scores, 12), [[0.5774, 0, -0.5774]], 4)
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2000, 1, 512, generator=generator), torch.randn(2000, 16, 512, generator=generator)
    raw = q @ k.mT
    assert round(torch.softmax(raw, -1).amax(-1).mean().item(), 2) == pytest.approx(0.94, abs=0.011)
    scaled = FUNCTIONS["scale_scores"](raw, 512)
    assert round(torch.softmax(scaled, -1).amax(-1).mean().item(), 2) == pytest.approx(0.24, abs=0.011)


class Recorder:
    """The right steps, remembering which of them were asked for."""

    def __init__(self) -> None:
        self.used: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.used.add(name)
        return getattr(reference.CORRECT, name)


@cache
def steps_in_use() -> frozenset[str]:
    recorder = Recorder()
    for exercise in probes.exercises().values():
        function = partial(FUNCTIONS[exercise["reference"]], steps=recorder)
        list(probes.each(function, exercise, probes.calls(exercise)))
    return frozenset(recorder.used)


@pytest.mark.parametrize("field", [field.name for field in fields(reference.Steps)])
def test_each_step_is_used_by_some_function(field: str) -> None:
    assert field in steps_in_use()


def test_a_size_that_is_not_there_makes_a_mistake_not_applicable() -> None:
    with pytest.raises(reference.NotApplicable, match="d_v"):
        probes.wrong(FUNCTIONS["scale_scores"], "divided_by_root_of_d_v")(scores=torch.ones(2, 3), d_k=4)
    assert reference.Sizes(d_k=4).of("d_k") == 4


def test_scaling_by_the_root_of_d_k_is_what_torch_does() -> None:
    q = torch.full((1, 12), 3.0, dtype=torch.float64)
    assert FUNCTIONS["scale_scores"](q @ q.T, 12).item() == pytest.approx(108 / math.sqrt(12))
