"""Wrong ways to normalise: masked scores in, weights out whose rows are not softmax over the keys.

Where a whole column of the scores is masked, the fill shows: -∞ gives NaN there, a large negative number gives equal
shares. Both are right fills, so a mistake that meets such a column has a twin for the second kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps import NotApplicable
from .steps_similarity import softmax_divide

LARGE = -1e9  # any number that no score comes near does the same


def finite_fill(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Mask as many do, with a large negative number: right as long as softmax runs along the keys."""
    return scores if mask is None else scores.masked_fill(~mask, LARGE)


def fill_is_no_choice(scores: Tensor) -> Tensor:
    """Say that a fill is no free choice: there is no mask, or the exercise asks for the masked scores themselves."""
    raise NotApplicable("no fill can be chosen here")


FINITE: dict[str, Callable[..., Any]] = {
    "mask": finite_fill,
    "unmasked": fill_is_no_choice,
    "kept_masked": fill_is_no_choice,
}


def softmax_over(axis: int) -> Callable[[Tensor], Tensor]:
    """Return a softmax along another axis than the keys."""
    return lambda scores: torch.softmax(scores, dim=axis)


def softmax_over_each_table(scores: Tensor) -> Tensor:
    """Let all pairs of a query and a key share one sum."""
    return torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)


def softmax_over_everything(scores: Tensor) -> Tensor:
    """Let all numbers of the tensor share one sum."""
    return torch.softmax(scores.flatten(), dim=0).view_as(scores)


def softmax_missing(scores: Tensor) -> Tensor:
    """Use the scores as weights."""
    return scores


def divided_by_sum(scores: Tensor) -> Tensor:
    """Divide by the sum without exponentials."""
    return scores / scores.sum(dim=-1, keepdim=True)


def exp_not_normalised(scores: Tensor) -> Tensor:
    """Take exponentials and leave out the division."""
    return torch.exp(scores)


def softmax_twice(scores: Tensor) -> Tensor:
    """Normalise what is normalised."""
    return torch.softmax(torch.softmax(scores, dim=-1), dim=-1)


def log_softmax_weights(scores: Tensor) -> Tensor:
    """Use log-softmax: the logarithms of the weights."""
    return torch.log_softmax(scores, dim=-1)


def exp_without_shift(scores: Tensor) -> Tensor:
    """Take exponentials of the scores as they are: ∞ / ∞ once a score is beyond 709 (88 in float32)."""
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def sum_without_keepdim(scores: Tensor) -> Tensor:
    """Lose the axis of the sum: an error, or a division along the wrong axis when the table is square."""
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


def hard_choice(scores: Tensor) -> Tensor:
    """Give all the weight to the best key."""
    return torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)


def handed_on(value: Any, *_: Any) -> Any:
    """Leave out a step: what it should have worked on goes on as it is."""
    return value


def best_along(scores: Tensor, axis: int) -> Tensor:
    """Give all the weight of a slice to its largest number."""
    return torch.zeros_like(scores).scatter(axis, scores.argmax(dim=axis, keepdim=True), 1.0)


RAW: dict[str, Callable[..., Any]] = {"softmax_shift": handed_on, "softmax_exp": handed_on}
ONE_SUM: dict[str, Callable[..., Any]] = {
    "softmax_shift": lambda x, axis: x - x.amax(),
    "softmax_divide": lambda exponentials, axis: exponentials / exponentials.sum(),
}

MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "softmax_over_queries": {"normalise": softmax_over(-2)},
    "softmax_over_queries_finite_fill": {"normalise": softmax_over(-2), **FINITE},
    "softmax_over_batch": {"normalise": softmax_over(0)},
    "softmax_over_batch_finite_fill": {"normalise": softmax_over(0), **FINITE},
    "softmax_over_axis_one": {"normalise": softmax_over(1)},
    "softmax_over_axis_one_finite_fill": {"normalise": softmax_over(1), **FINITE},
    "softmax_over_axis_two": {"normalise": softmax_over(2)},
    "softmax_over_axis_two_finite_fill": {"normalise": softmax_over(2), **FINITE},
    "softmax_over_each_table": {"normalise": softmax_over_each_table},
    "softmax_over_everything": {"normalise": softmax_over_everything, **ONE_SUM},
    "softmax_missing": {"normalise": softmax_missing, **RAW, "softmax_divide": handed_on},
    "softmax_missing_finite_fill": {"normalise": softmax_missing, **FINITE},
    "divided_by_sum": {"normalise": divided_by_sum, **RAW},
    "exp_not_normalised": {
        "normalise": exp_not_normalised,
        "softmax_shift": handed_on,
        "softmax_divide": handed_on,
        "finish": handed_on,
    },
    "sigmoid_weights": {"normalise": torch.sigmoid, **RAW, "softmax_divide": lambda x, axis: torch.sigmoid(x)},
    "softmax_twice": {
        "normalise": softmax_twice,
        "softmax_divide": lambda exponentials, axis: torch.softmax(softmax_divide(exponentials, axis), dim=axis),
        "weights_given": softmax_over(-1),
    },
    "log_softmax_weights": {"normalise": log_softmax_weights, **RAW, "softmax_divide": torch.log_softmax},
    "exp_without_shift": {
        "normalise": exp_without_shift,
        "softmax_shift": handed_on,
        "largest_so_far": lambda largest, scores: torch.zeros_like(largest),
    },
    "sum_without_keepdim": {
        "normalise": sum_without_keepdim,
        "softmax_divide": lambda exponentials, axis: exponentials / exponentials.sum(dim=axis),
    },
    "hard_choice": {"normalise": hard_choice, **RAW, "softmax_divide": best_along},
}
