"""What a check is: a rung of the ladder, the further calls it needs, what it may look at and what it may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

from grader.kinds import Vocabulary
from grader.kinds.kind import Kind
from grader.kinds.numbers import Difference
from grader.model import Built, DrawnCase, Exercise, Message, Observation, Sayable, Tensor, Value, Verdict, message

ATOL, RTOL = 1e-5, 1e-4


class Rung(IntEnum):
    """The order in which failures of a case speak."""

    CONTRACT = 0
    SHAPE = 1
    DTYPE = 2
    FINITE = 3
    VALUES = 4
    PROPERTIES = 5
    GRADIENTS = 6
    REMARKS = 7


@dataclass(frozen=True, eq=False)
class Ask:
    """A further call that a check needs: on other arguments, on another module, after another call, or its gradient.

    What is None is as in the case. The fields mean what they mean in `model.Call`.
    """

    arguments: Mapping[str, Value] | None = None
    gradients_of: tuple[str, ...] = ()
    cotangent: tuple[Tensor, ...] = ()
    built: Built | None = None
    warm_up: Mapping[str, Value] | None = None
    repeat: int = 1


Extra = Mapping[str, Value] | list[Mapping[str, Value]] | Observation
"""What a further call gave: results by name, a list of them where it was repeated, or the observation as it is."""


@dataclass(frozen=True, eq=False)
class Seen:
    """All that a check may look at for one case. `results` and `expected` are by result name."""

    exercise: Exercise
    case: DrawnCase
    observation: Observation
    results: Mapping[str, Value]
    expected: Mapping[str, Value]
    extra: Mapping[str, Extra] = field(default_factory=dict)
    gradients: Mapping[str, Tensor] = field(default_factory=dict)
    device: str = "cpu"


@dataclass(frozen=True)
class Finding:
    """What a check has against a case."""

    message: Sayable
    verdict: Verdict = Verdict.FAILED
    worst: Difference | None = None
    mistakes: tuple[str, ...] = ()  # known mistakes that this alone is enough to name


class CheckKind(Kind):
    """What every check offers. A `remark` is said, but takes no points."""

    word: ClassVar[str]
    rung: ClassVar[Rung]
    needs_module: ClassVar[bool] = False  # whether a reference, which is a function, cannot show what is checked
    needs_torch: ClassVar[bool] = False  # whether numpy arrays cannot show it
    demand: ClassVar[Message | None] = None  # what the prompt of every exercise with this check says at its end

    @property
    def remark(self) -> bool:
        """Whether it is said without taking points."""
        return self.rung is Rung.REMARKS

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        """Return the further calls that are needed by variant; None when the check does not apply to this case."""
        return {}

    def judge(self, seen: Seen) -> Finding | None:
        """Return what is wrong, or None."""
        raise NotImplementedError


CHECKS: Vocabulary[type[CheckKind]] = Vocabulary()


def check(word: str) -> Callable[[type[CheckKind]], type[CheckKind]]:
    """Decorate the class that a check word stands for."""

    def add(kind: type[CheckKind]) -> type[CheckKind]:
        kind.word = word
        return CHECKS.word(word)(kind)

    return add


def named(name: str, text: Message) -> Message:
    """Put the name of the result before a message where the function returns several."""
    return message("{result}: {text}", result=name, text=text) if name else text
