"""The JSON in frozen files in, its parts out, each of the kind it has to be: a digest vouches for the bytes, not for what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from grader.model import Tensor, Trace, Value
from grader.stages.traces import PROJECTIONS


class Strict(BaseModel):
    """Exactly these keys, each of exactly this kind."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class TensorNode(Strict):
    """A tensor by its number in the file."""

    tensor: str

    def value(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return the tensor; raise KeyError for a number that is not there."""
        return tensors[self.tensor]


class TupleNode(Strict):
    """Several values."""

    items: list[Node] = Field(alias="tuple")

    def value(self, tensors: Mapping[str, Tensor]) -> Value:
        """Return them; raise KeyError like a tensor."""
        return (*(item.value(tensors) for item in self.items),)


class DictNode(Strict):
    """Values by name."""

    named: list[tuple[str, Node]] = Field(alias="dict")

    def value(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Value]:
        """Return them; raise KeyError like a tensor."""
        return {name: item.value(tensors) for name, item in self.named}


class PlainNode(Strict):
    """A number, a text, a truth value or nothing."""

    plain: bool | int | float | str | None

    def value(self, tensors: Mapping[str, Tensor]) -> Value:
        """Return it."""
        return self.plain


Node = TensorNode | TupleNode | DictNode | PlainNode


def _whole(row: tuple[str, list[float], tuple[float, float], str, str | None]) -> tuple[Any, ...]:
    if len(row[1]) != (PROJECTIONS if row[4] is None else 0):
        raise ValueError("another number of projections")
    return row


TraceRow = Annotated[tuple[str, list[float], tuple[float, float], str, str | None], AfterValidator(_whole)]


def trace_of(row: tuple[Any, ...]) -> Trace:
    """Return the trace that a row of a file stands for."""
    form, projections, slack, holes, error = row
    return Trace(form, tuple(projections), slack, holes, error)


class ExpectFile(Strict):
    """What stands in an `.expect` file beside its tensors."""

    right: dict[str, Node]
    gradients: dict[str, dict[str, TensorNode]]
    traces: list[tuple[list[str], dict[str, TraceRow]]]
    examples: list[tuple[list[str], DictNode, DictNode, DictNode]]


class PairsFile(Strict):
    """What stands in a `.pairs` file beside its tensors. A row is (form, number of projections, holes, error)."""

    calls: list[str]
    pairs: list[tuple[str, str]]
    forms: list[str]
    rows: list[tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)], str, str | None]]


Summary = tuple[str, list[int], float, float]


class IndexFile(Strict):
    """What stands in the index of a learner's copy. Weights are those that an exercise file may give."""

    format: Literal[1]
    seed: Annotated[int, Field(ge=0)]
    elsewhere: dict[str, list[Annotated[float, Field(gt=0, le=1000)]]]
    drawn: dict[str, dict[str, dict[str, str | Summary]]]


File = TypeVar("File", bound=Strict)


def read_as(kind: type[File], data: bytes) -> File:
    """Return the parts of a file; raise ValueError where they are not of this kind, or nested too deeply."""
    return kind.model_validate_json(data)
