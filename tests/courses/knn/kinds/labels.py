"""Class labels as an input, and the check that an answer is made of labels that were there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.kinds.checks import CheckKind, Finding, Rung, Seen, check
from grader.kinds.inputs import Axes, InputKind, input_kind
from grader.model import Tensor, Value, message


@input_kind("labels")
class Labels(InputKind):
    """An int64 array of class labels, from 0 to one less than `classes`; each class is there while there is room."""

    labels: Axes
    classes: int = 3

    def draw(self, sizes: Mapping[str, int], rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        return Tensor("int64", rng.permutation(np.arange(np.prod(shape)) % self.classes).reshape(shape))


@check("known_labels")
class KnownLabels(CheckKind):
    """Every number of the result is one of the labels that went in as the argument `of`."""

    rung = Rung.PROPERTIES
    of: str = "labels"

    def judge(self, seen: Seen) -> Finding | None:
        labels = seen.case.arguments[self.of]
        for result in seen.results.values():
            unknown = np.setdiff1d(result.array, labels.array)
            if unknown.size:
                told = {"en": "is no label of `labels`", "zh": "不是 `labels` 中的标签"}
                return Finding(message("{number} {told}", number=str(unknown[0]), told=told))
        return None
