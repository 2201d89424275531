"""Positions against hand numbers and the properties that they are made for."""

from __future__ import annotations

import math

import probes
import pytest
import torch

encoding = probes.load_reference().FUNCTIONS["sinusoidal_encoding"]
add_positions = probes.load_reference().FUNCTIONS["add_positions"]


def test_the_numbers_of_the_prompt() -> None:
    expected = [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 1.0000], [0.9093, -0.4161, 0.0200, 0.9998]]
    assert torch.allclose(encoding(3, 4), torch.tensor(expected, dtype=torch.float64), atol=5e-5)


@pytest.mark.parametrize(("n", "d", "base"), [(7, 6, 10000.0), (5, 7, 100.0), (1, 1, 50.0), (40, 3, 1000.0)])
def test_each_number_is_what_the_formula_says(n: int, d: int, base: float) -> None:
    table = encoding(n, d, base)
    assert table.shape == (n, d)
    for p in range(n):
        for c in range(d):
            wave = math.cos if c % 2 else math.sin
            assert table[p, c].item() == pytest.approx(wave(p / base ** (2 * (c // 2) / d)), abs=1e-12)


def test_moving_on_turns_every_pair_by_one_angle() -> None:
    pairs = torch.view_as_complex(encoding(30, 8).unflatten(1, (4, 2)).flip(-1).contiguous())  # cos + i sin
    turn = pairs[5:] / pairs[:-5]
    assert torch.allclose(turn, turn[:1].expand_as(turn), atol=1e-12)


def test_positions_are_added_to_enlarged_embeddings() -> None:
    x = torch.tensor([[0.5, 0, -0.5, 1], [1, 1, 0, 0]], dtype=torch.float64)
    pe = torch.tensor([[0, 1, 0, 1], [0.84, 0.54, 0.01, 1], [9, 9, 9, 9]], dtype=torch.float64)
    expected = torch.tensor([[1, 1, -1, 3], [2.84, 2.54, 0.01, 1]], dtype=torch.float64)
    assert torch.allclose(add_positions(x, pe), expected)
    assert torch.allclose(add_positions(x.expand(3, 2, 4), pe), expected.expand(3, 2, 4))


def test_a_sequence_longer_than_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="3 tokens"):
        add_positions(torch.ones(2, 3, 4), torch.ones(2, 4))
