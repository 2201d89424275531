"""Windows, caches, blocks, rotations, biases and linear attention against torch's own functions, loops and properties."""

from __future__ import annotations

import math

import probes
import pytest
import torch
from torch.nn.functional import elu, scaled_dot_product_attention

FUNCTIONS = probes.load_reference().FUNCTIONS


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a, b, atol=1e-12, rtol=1e-10)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "w"), [(1, 0), (5, 0), (5, 1), (6, 4), (6, 5), (4, 9)])
def test_a_window_mask_is_a_band_of_two_triangles(n: int, w: int, causal: bool) -> None:
    mask = FUNCTIONS["local_window_mask"](n, w, causal)
    band = torch.ones(n, n, dtype=torch.bool).triu(-w)
    assert torch.equal(mask, band.tril(0 if causal else w))


@pytest.mark.parametrize(("n", "w"), [(7, 2), (5, 1), (9, 8), (6, 0)])
def test_the_number_of_allowed_pairs_is_what_the_prompt_says(n: int, w: int) -> None:
    assert int(FUNCTIONS["local_window_mask"](n, w).sum()) == n * (2 * w + 1) - w * (w + 1)
    assert int(FUNCTIONS["local_window_mask"](n, w, True).sum()) == n * (w + 1) - w * (w + 1) // 2


def test_attention_in_a_window_agrees_with_torch_and_a_wide_window_is_full_attention() -> None:
    q, k, v = drawn(2, 3, 7, 12), drawn(2, 3, 7, 12, seed=1), drawn(2, 3, 7, 6, seed=2)
    for w in (1, 2, 6, 20):
        band = torch.ones(7, 7, dtype=torch.bool).tril(w).triu(-w)
        assert close(FUNCTIONS["windowed_attention"](q, k, v, w), scaled_dot_product_attention(q, k, v, attn_mask=band))
    assert close(FUNCTIONS["windowed_attention"](q, k, v, 6), scaled_dot_product_attention(q, k, v))


def test_a_prefill_and_steps_of_one_and_three_give_what_one_pass_gives() -> None:
    q, k, v = drawn(2, 3, 9, 10), drawn(2, 3, 9, 10, seed=1), drawn(2, 3, 9, 6, seed=2)
    whole = scaled_dot_product_attention(q, k, v, is_causal=True)
    keys = values = None
    for start, stop in ((0, 5), (5, 6), (6, 9)):
        part = slice(start, stop)
        output, keys, values = FUNCTIONS["kv_cache_step"](
            keys, values, q[..., part, :], k[..., part, :], v[..., part, :]
        )
        assert close(output, whole[..., part, :])
    assert torch.equal(keys, k)
    assert torch.equal(values, v)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 10])
def test_blocks_of_any_size_give_full_attention(block: int) -> None:
    q, k, v = drawn(2, 5, 8), drawn(2, 7, 8, seed=1), drawn(2, 7, 6, seed=2)
    for factor in (1.0, 300.0):
        expected = scaled_dot_product_attention(factor * q, k, v)
        assert close(FUNCTIONS["blockwise_attention"](factor * q, k, v, block), expected)


def test_rotation_is_multiplication_of_complex_numbers() -> None:
    x, positions = drawn(2, 3, 5, 6), torch.tensor([0, 7, 2, 30, 11])
    theta = positions[:, None] / 100.0 ** (torch.arange(0, 6, 2, dtype=torch.float64) / 6)
    turned = torch.view_as_complex(x.unflatten(-1, (3, 2))) * torch.polar(torch.ones_like(theta), theta)
    expected = torch.view_as_real(turned).flatten(-2)
    assert close(FUNCTIONS["rotary_embedding"](x, positions, 100.0), expected)


def test_rotated_vectors_know_only_how_far_they_are_apart() -> None:
    q, k = drawn(1, 8), drawn(1, 8, seed=1)

    def score(i: int, j: int) -> torch.Tensor:
        a = FUNCTIONS["rotary_embedding"](q, torch.tensor([i]))
        b = FUNCTIONS["rotary_embedding"](k, torch.tensor([j]))
        return a @ b.T

    assert close(score(3, 1), score(40, 38))
    assert not torch.allclose(score(3, 1), score(3, 2))
    x = drawn(4, 8)
    assert close(FUNCTIONS["rotary_embedding"](x).norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(FUNCTIONS["rotary_embedding"](x)[0], x[0])


def test_an_odd_number_of_features_cannot_be_rotated() -> None:
    with pytest.raises(ValueError, match="5 features"):
        FUNCTIONS["rotary_embedding"](drawn(2, 5))


def test_biases_of_eight_heads_have_the_slopes_of_the_paper() -> None:
    bias = FUNCTIONS["alibi_bias"](1, 2, 8)
    assert bias[:, 0, 0].tolist() == [-(2.0**-head) for head in range(1, 9)]
    assert (bias[:, 0, 1] == 0).all()


def test_biases_by_a_loop() -> None:
    bias = FUNCTIONS["alibi_bias"](4, 6, 3)
    for head in range(3):
        for i in range(4):
            for j in range(6):
                expected = -(2 ** (-8 * (head + 1) / 3)) * abs(i + 2 - j)
                assert bias[head, i, j].item() == pytest.approx(expected)


def test_linear_attention_is_what_the_quadratic_form_gives() -> None:
    q, k, v = drawn(2, 3, 6, 5), drawn(2, 3, 6, 5, seed=1), drawn(2, 3, 6, 4, seed=2)
    shares = ((elu(q) + 1) @ (elu(k) + 1).mT).tril()
    assert close(FUNCTIONS["linear_attention"](q, k, v), shares @ v / shares.sum(-1, keepdim=True))


def test_the_worked_examples_of_the_prompts() -> None:
    x = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    windowed = [[0.6698, 0.3302], [0.5989, 0.8022], [0.6698, 1.0]]
    assert torch.allclose(FUNCTIONS["windowed_attention"](x, x, x, 1), torch.tensor(windowed).double(), atol=5e-5)
    ones = torch.ones(1, 1, dtype=torch.float64)
    output, keys, values = FUNCTIONS["kv_cache_step"](ones, 10 * ones, ones, 2 * ones, 20 * ones)
    assert round(output.item(), 4) == 17.3106
    assert (keys.tolist(), values.tolist()) == ([[1], [2]], [[10], [20]])
    column = torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.float64)
    blocks = FUNCTIONS["blockwise_attention"](ones[None], column[None], 10 * column[None], 2)
    assert round(blocks.item(), 4) == 25.7521
    assert math.isclose((1 + math.exp(-1)) * math.exp(-1) + 1, 1.5032, abs_tol=5e-5)
    turned = FUNCTIONS["rotary_embedding"](torch.tensor([[1.0, 0, 1, 0], [1, 0, 1, 0]], dtype=torch.float64))
    assert torch.allclose(turned[1], torch.tensor([0.5403, 0.8415, 1.0, 0.01]).double(), atol=6e-5)
    vector = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
    key, value = torch.tensor([[1.0], [-1.0]]).double(), torch.tensor([[4.0], [8.0]]).double()
    assert [round(n, 4) for n in FUNCTIONS["linear_attention"](vector, key, value).flatten().tolist()] == [4.0, 4.6214]
