"""Checks of how results change with the inputs: judged by calling again, never by asking the function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.kinds.checks.ladder import ATOL, RTOL, Ask, CheckKind, Finding, Rung, Seen, check, named
from grader.kinds.numbers import as_float, compare, is_float, place, short
from grader.model import SIZES, DrawnCase, Exercise, Message, Observation, Returned, Tensor, Verdict, message


@check("inputs_unchanged")
class InputsUnchanged(CheckKind):
    """The call leaves its arguments as they were. `names` is the mistake that this is enough to name."""

    rung = Rung.PROPERTIES
    names: str = ""

    def judge(self, seen: Seen) -> Finding | None:
        if not seen.observation.changed:
            return None
        names = ", ".join(f"`{name}`" for name in seen.observation.changed)
        text = message("your function changed its argument {names}; work on a copy instead", names=names)
        return Finding(text, mistakes=(self.names,) if self.names else ())


@check("rows_sum_to_one")
class RowsSumToOne(CheckKind):
    """Each row of the named result adds up to 1 and holds nothing negative."""

    rung = Rung.PROPERTIES
    result: str = "weights"

    def judge(self, seen: Seen) -> Finding | None:
        weights = seen.results.get(self.result)
        if not isinstance(weights, Tensor):
            return None
        sums = as_float(weights).sum(-1)
        if (as_float(weights) >= 0).all() and np.allclose(sums, 1, atol=1e-4):
            return None
        worst = np.unravel_index(int(np.abs(sums - 1).argmax()), sums.shape)
        index = tuple(int(i) for i in worst)
        axes = seen.case.returns[self.result][:-1]
        text = message(
            "the row at {place} adds up to {total}, expected 1",
            place=place(index, axes),
            total=short(float(sums[worst])),
        )
        return Finding(named(self.result, text))


def _positions(case: DrawnCase, name: str, axis: str) -> int | None:
    """The position of `axis` in argument `name`, counted from the end, or None."""
    axes = case.axes.get(name, ())
    return axes.index(axis) - len(axes) if axis in axes else None


def _tensors(case: DrawnCase, axis: str) -> dict[str, tuple[Tensor, int]]:
    found = {}
    for name, value in case.arguments.items():
        where = _positions(case, name, axis)
        if isinstance(value, Tensor) and where is not None:
            found[name] = (value, where)
    return found


def _changed(value: Tensor, where: int, keep: slice) -> Tensor:
    """Return the tensor with other finite numbers everywhere but at `keep` of one axis."""
    changed = np.array(value.array)
    other = changed[::-1] * -0.5 + 0.75 if changed.ndim else changed
    at = [slice(None)] * changed.ndim
    at[where] = keep
    result = np.array(other, dtype=changed.dtype)
    result[tuple(at)] = changed[tuple(at)]
    return replace(value, array=result)


def _same_results(seen: Seen, variant: str, keep: Mapping[str, tuple[Any, ...]], text: Message) -> Finding | None:
    """Compare the results of a further call with those of the case at the places in `keep`."""
    other = seen.extra.get(variant)
    if other is None:
        return None
    if not isinstance(other, Mapping):
        verdict = other.verdict if isinstance(other, Observation) else Verdict.FAILED
        return Finding(message("the function fails when only the inputs' values change"), verdict)
    for name, at in keep.items():
        before, after = seen.results[name], other[name]
        if after.shape != before.shape:
            return Finding(text)
        pair = (replace(after, array=after.array[at]), replace(before, array=before.array[at]))
        worst = compare(*pair, ATOL, RTOL)
        if worst is not None:
            return Finding(message("{text} (by {difference})", text=text, difference=short(worst.difference, 2)))
    return None


def _at(axes: Returned, axis: str, keep: slice) -> tuple[Any, ...]:
    return tuple(keep if a == axis else slice(None) for a in axes)


@check("no_future_leak")
class NoFutureLeak(CheckKind):
    """Changing later positions of the sequence axis leaves the results at earlier positions as they were."""

    rung = Rung.PROPERTIES
    axis: str = "T"

    def _steps(self, case: DrawnCase) -> list[int]:
        length = case.sizes.get(self.axis, 1)
        return sorted({0, (length - 1) // 2}) if length > 1 else []

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        tensors = _tensors(case, self.axis)
        if not tensors or not self._steps(case):
            return None
        asks = {}
        for step in self._steps(case):
            new = {
                name: _changed(value, where, slice(0, step + 1))
                for name, (value, where) in tensors.items()
                if is_float(value)
            }
            asks[str(step)] = Ask({**case.arguments, **new})
        return asks

    def judge(self, seen: Seen) -> Finding | None:
        for step in self._steps(seen.case):
            keep = {
                n: _at(axes, self.axis, slice(0, step + 1))
                for n, axes in seen.case.returns.items()
                if self.axis in axes
            }
            text = message("position {step} changes when later positions change: it sees the future", step=step)
            finding = _same_results(seen, str(step), keep, text)
            if finding:
                return finding
        return None


@check("batch_independence")
class BatchIndependence(CheckKind):
    """Changing the other samples of the batch leaves the results of the first sample as they were."""

    rung = Rung.PROPERTIES
    axis: str = "B"

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        tensors = _tensors(case, self.axis)
        if not tensors or case.sizes.get(self.axis, 1) < 2:
            return None
        new = {name: _changed(value, where, slice(0, 1)) for name, (value, where) in tensors.items() if is_float(value)}
        return {"": Ask({**case.arguments, **new})}

    def judge(self, seen: Seen) -> Finding | None:
        keep = {n: _at(axes, self.axis, slice(0, 1)) for n, axes in seen.case.returns.items() if self.axis in axes}
        return _same_results(
            seen, "", keep, message("sample 0 changes when only the other samples of the batch change")
        )


@check("key_order")
class KeyOrder(CheckKind):
    """Reordering keys, values and mask columns together reorders the weights and leaves the output as it was."""

    rung = Rung.PROPERTIES
    axis: str = "S"

    def _order(self, case: DrawnCase) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        return np.roll(np.arange(case.sizes[self.axis])[::-1], 1)

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        tensors = _tensors(case, self.axis)
        if len(tensors) < 2 or case.sizes.get(self.axis, 1) < 2:
            return None
        order = self._order(case)
        new = {name: replace(v, array=np.take(v.array, order, axis=where)) for name, (v, where) in tensors.items()}
        return {"": Ask({**case.arguments, **new})}

    def judge(self, seen: Seen) -> Finding | None:
        text = message("the output changes when keys and values are reordered together")
        keep = {
            n: _at(axes, "", slice(None))
            for n, axes in seen.case.returns.items()
            if self.axis not in axes and axes != SIZES
        }
        return _same_results(seen, "", keep, text)


@check("padding_invariance")
class PaddingInvariance(CheckKind):
    """Changing keys and values that no query may attend to leaves the results as they were."""

    rung = Rung.PROPERTIES
    axis: str = "S"
    mask: str = "mask"

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        mask = case.arguments.get(self.mask)
        tensors = {n: v for n, v in _tensors(case, self.axis).items() if is_float(v[0]) and v[1] == -2}
        if not isinstance(mask, Tensor) or mask.array.ndim < 2 or not tensors:
            return None
        hidden = np.expand_dims(~np.any(mask.array, axis=-2), -1)  # (..., S, 1): keys that nobody may see
        if not hidden.any():
            return None
        new = {}
        for name, (value, _) in tensors.items():
            heads = tuple(range(1, 1 + hidden.ndim - len(value.shape)))  # axes that the mask has and the keys have not
            try:
                where = np.broadcast_to(hidden.all(axis=heads), value.shape)
            except ValueError:
                return None
            new[name] = replace(
                value, array=np.where(where, value.array[::-1] * -0.5 + 0.75, value.array).astype(np.float32)
            )
        return {"": Ask({**case.arguments, **new})}

    def judge(self, seen: Seen) -> Finding | None:
        keep = {n: (...,) for n, axes in seen.case.returns.items() if axes != SIZES}
        return _same_results(seen, "", keep, message("keys that the mask forbids still change the result"))
