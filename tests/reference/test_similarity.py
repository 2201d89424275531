"""The pieces of attention and its look-up forms against torch's own functions and numbers worked out by hand."""

from __future__ import annotations

import math
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
QUERY = SIX_KEYS[:1]
IDENTITY = torch.eye(6, dtype=torch.float64)
SLUGS = ("similarity_scores", "softmax_rows", "softmax_jacobian", "attend", "scaled_dot_product", "five_steps")


def close(got: torch.Tensor, expected: list[Any], digits: int = 4) -> bool:
    return torch.allclose(got, torch.tensor(expected, dtype=got.dtype), atol=0.51 * 10**-digits, rtol=0)


def calls(slug: str, seed: int = 0) -> Any:
    return [(case, a) for case, a in probes.calls(probes.exercises()[slug], seed) if "raises" not in case]


def softmax_with_zeros(x: torch.Tensor, dim: int) -> torch.Tensor:
    return torch.softmax(x, dim).nan_to_num(0.0)


def jacobian_by_autograd(weights: torch.Tensor) -> torch.Tensor:
    rows = weights.reshape(-1, weights.shape[-1]).log()
    found = [torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), row) for row in rows]
    return torch.stack(found).reshape(*weights.shape, -1)


def all_stages(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
    scores = torch.einsum("...id,...jd->...ij", q, k)
    scaled = scores / math.sqrt(q.shape[-1])
    masked = torch.where(mask, scaled, -torch.inf)
    identity = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-2], -1, -1)
    weights = scaled_dot_product_attention(q, k, identity, attn_mask=mask)
    return scores, scaled, masked, weights, scaled_dot_product_attention(q, k, v, attn_mask=mask)


ORACLES = {
    "similarity_scores": lambda q, k: torch.einsum("...id,...jd->...ij", q, k),
    "softmax_rows": softmax_with_zeros,
    "softmax_jacobian": jacobian_by_autograd,
    "attend": lambda weights, v: torch.einsum("...ij,...je->...ie", weights, v),
    "scaled_dot_product": scaled_dot_product_attention,
    "five_steps": all_stages,
}


@pytest.mark.parametrize("slug", SLUGS)
def test_a_piece_agrees_with_torch_in_every_case(slug: str) -> None:
    for case, arguments in calls(slug):
        # weights are float32 numbers, so their rows add up to 1 within that
        assert probes.same(FUNCTIONS[slug](**arguments), ORACLES[slug](*arguments.values()), 1e-6, 1e-6), case["name"]


def test_dot_products_by_hand() -> None:
    q, k = torch.tensor([[1.0, 0], [1, 2]]), torch.tensor([[1.0, 0], [0, 1], [3, 1]])
    assert FUNCTIONS["similarity_scores"](q, k).tolist() == [[1, 0, 3], [1, 2, 5]]


def test_scores_are_linear_in_queries_and_in_keys() -> None:
    _, given = calls("similarity_scores")[0]
    q, k = given["q"], given["k"]
    scores = FUNCTIONS["similarity_scores"]
    assert torch.allclose(scores(3 * q + q.flip(0), k), 3 * scores(q, k) + scores(q.flip(0), k))
    assert torch.allclose(scores(q, 3 * k + k.flip(0)), 3 * scores(q, k) + scores(q, k.flip(0)))


def test_softmax_by_hand() -> None:
    softmax = FUNCTIONS["softmax_rows"]
    for row, expected in (
        ([2, 1, 0], [0.6652, 0.2447, 0.0900]),
        ([1002, 1001, 1000], [0.6652, 0.2447, 0.0900]),
        ([2, 5, 8], [0.0024, 0.0473, 0.9503]),
        ([-math.inf, 0, 0], [0, 0.5, 0.5]),
        ([-math.inf, -math.inf], [0, 0]),
    ):
        assert close(softmax(torch.tensor(row, dtype=torch.float64), -1), expected)


def test_the_derivative_of_softmax_by_hand() -> None:
    jacobian = FUNCTIONS["softmax_jacobian"]
    expected = [[0.21, -0.14, -0.07], [-0.14, 0.16, -0.02], [-0.07, -0.02, 0.09]]
    assert close(jacobian(torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)), expected, 12)
    saturated = jacobian(torch.tensor([0.98, 0.01, 0.01], dtype=torch.float64))
    assert saturated.max().item() == pytest.approx(0.0196)
    assert saturated.sum(-1).abs().max().item() < 1e-15


def test_mixing_by_hand_and_linear_in_the_values() -> None:
    weights = torch.tensor([[0.5, 0.5, 0], [0.1, 0.2, 0.7]], dtype=torch.float64)
    v = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    attend = FUNCTIONS["attend"]
    assert close(attend(weights, v), [[0.5, 0.5], [0.8, 0.9]], 12)
    assert torch.allclose(attend(weights, 2 * v + v.flip(0)), 2 * attend(weights, v) + attend(weights, v.flip(0)))


def test_five_steps_by_hand() -> None:
    q = torch.tensor([[2.0, 0, 0, 0]], dtype=torch.float64)
    k = torch.zeros(3, 4, dtype=torch.float64)
    k[0, 0], k[1, 1], k[2, 0] = 1, 1, -1
    v = torch.tensor([[1.0, 0], [0, 1], [1, 1]], dtype=torch.float64)
    expected = [2, 0, -2], [1, 0, -1], [1, 0, -math.inf], [0.7311, 0.2689, 0], [0.7311, 0.2689]
    for stage, row in zip(FUNCTIONS["five_steps"](q, k, v, torch.tensor([[True, True, False]])), expected, strict=True):
        assert close(stage, [row])
    assert close(FUNCTIONS["scaled_dot_product"](q, k, v), [[0.7553, 0.3348]])
    assert close(probes.wrong(FUNCTIONS["scaled_dot_product"], "unscaled")(q=q, k=k, v=v), [[0.8827, 0.1332]])
    assert close(probes.wrong(FUNCTIONS["scaled_dot_product"], "divided_by_d_k")(q=q, k=k, v=v), [[0.6928, 0.4935]])


@pytest.mark.parametrize(
    ("similarity", "tau", "expected"),
    [
        ("dot", math.sqrt(2), [0.2732, 0.2510, 0.1738, 0.1291, 0.1137, 0.0593]),
        ("cosine", 1, [0.2992, 0.2980, 0.1617, 0.1077, 0.0905, 0.0429]),
        ("neg_sq_dist", 1, [0.4000, 0.3920, 0.1112, 0.0581, 0.0349, 0.0039]),
    ],
)
def test_six_keys_under_three_similarities(similarity: str, tau: float, expected: list[float]) -> None:
    assert close(FUNCTIONS["soft_knn"](QUERY, SIX_KEYS, IDENTITY, similarity, tau), [expected])


def test_soft_look_up_with_the_temperature_of_attention_is_attention() -> None:
    output = FUNCTIONS["soft_knn"](QUERY, SIX_KEYS, SIX_KEYS, "dot", math.sqrt(2))
    assert close(output, [[0.4487, 0.2204]])
    assert torch.allclose(output, scaled_dot_product_attention(QUERY, SIX_KEYS, SIX_KEYS))


def test_unit_vectors_make_dot_product_and_cosine_the_same_and_the_distance_an_affine_function_of_it() -> None:
    keys = torch.nn.functional.normalize(SIX_KEYS, dim=-1)
    soft = FUNCTIONS["soft_knn"]
    assert torch.allclose(soft(keys, keys, IDENTITY, "dot", 0.7), soft(keys, keys, IDENTITY, "cosine", 0.7))
    assert torch.allclose(soft(keys, keys, IDENTITY, "dot", 0.7), soft(keys, keys, IDENTITY, "neg_sq_dist", 1.4))


def test_a_zero_vector_has_cosine_zero_with_everything() -> None:
    query = torch.zeros(1, 2, dtype=torch.float64)
    assert close(FUNCTIONS["soft_knn"](query, SIX_KEYS, IDENTITY, "cosine", 1.0), [[1 / 6] * 6], 12)


def test_temperature_by_hand_and_its_limits() -> None:
    scores = torch.tensor([2.0, 1, 0], dtype=torch.float64)
    soft = FUNCTIONS["temperature_softmax"]
    assert close(soft(scores, 0.5), [0.8668, 0.1173, 0.0159])
    assert close(soft(scores, 2), [0.5065, 0.3072, 0.1863])
    assert close(soft(scores, 1e-3), [1, 0, 0], 9)
    assert close(soft(scores, 1e9), [1 / 3] * 3, 8)
    six = QUERY @ SIX_KEYS.T / math.sqrt(2)
    assert close(soft(six, 0.1), [[0.695, 0.297, 0.008, 0, 0, 0]], 3)
    assert close(soft(six, 10), [[0.177, 0.176, 0.169, 0.164, 0.162, 0.152]], 3)
    entropies = [-(w * w.log()).sum().item() for w in (soft(six, tau) for tau in (0.3, 0.5, 1, 2, 4))]
    assert entropies == sorted(entropies)


def test_hard_look_up_by_hand_and_as_the_limit_of_the_soft_one() -> None:
    hard, soft = FUNCTIONS["hard_knn"], FUNCTIONS["soft_knn"]
    assert close(hard(QUERY, SIX_KEYS, SIX_KEYS, 1), [[1, 0.2]], 12)
    assert close(hard(QUERY, SIX_KEYS, SIX_KEYS, 2), [[0.95, 0.15]], 12)
    assert close(hard(QUERY, SIX_KEYS, SIX_KEYS, 3), [[0.7, 0.4333]])
    assert torch.allclose(hard(QUERY, SIX_KEYS, SIX_KEYS, 1), soft(QUERY, SIX_KEYS, SIX_KEYS, "dot", 1e-3))
    assert torch.allclose(hard(QUERY, SIX_KEYS, SIX_KEYS, 6), SIX_KEYS.mean(0))


@pytest.mark.parametrize(
    ("function", "last"),
    [("temperature_softmax", 0), ("temperature_softmax", -2.0), ("hard_knn", 0), ("hard_knn", 7), ("soft_knn", "l2")],
)
def test_an_argument_that_makes_no_sense_raises(function: str, last: Any) -> None:
    given = {"temperature_softmax": (SIX_KEYS, last), "hard_knn": (QUERY, SIX_KEYS, SIX_KEYS, last)}
    with pytest.raises(ValueError):
        FUNCTIONS[function](*given.get(function, (QUERY, SIX_KEYS, SIX_KEYS, last, 1.0)))


def test_a_step_that_needs_a_tensor_which_is_not_there_does_not_apply() -> None:
    with pytest.raises(reference.NotApplicable, match="no such tensor"):
        probes.wrong(FUNCTIONS["attend"], "keys_mixed")(weights=IDENTITY, v=SIX_KEYS)
