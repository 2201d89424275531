"""The inputs and cases of an exercise file in, frozen cases out; sizes, omitted arguments and replaced inputs must fit together."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from grader.kinds import nearest
from grader.kinds.axes import is_sized, names_in, size_of
from grader.kinds.inputs import INPUTS, InputKind
from grader.model import SIZES, Case, Message, Returned, Signature, message
from grader.stages.spec.explain import got_text, sift, validate
from grader.stages.spec.models import LARGEST_SIZE, MOST_NUMBERS, CaseFile
from grader.stages.spec.source import Problem, Source, Where, clean, or_near
from grader.stages.spec.words import keyed_word

EXCEPTIONS = tuple(
    name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, Exception)
)

Size = int | tuple[int, int]

MADE = ("build", "state")
"""The parts of a case that a module is made of."""


@dataclass(frozen=True)
class Frame:
    """What cases and checks refer to; None, or fewer inputs than the file has, where a part could not be read."""

    signature: Signature | None  # of the function, or of the module's forward
    inputs: Mapping[str, InputKind]
    returns: Mapping[str, Returned] | None
    complete: bool
    made: Mapping[str, Mapping[str, InputKind]] = field(default_factory=dict)  # of a module: its build and its state

    @property
    def result_axes(self) -> tuple[str, ...]:
        return tuple(
            name for axes in (self.returns or {}).values() if axes != SIZES for axis in axes for name in names_in(axis)
        )

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis of the exercise, inputs first."""
        kinds = [*self.inputs.values(), *(kind for part in self.made.values() for kind in part.values())]
        return tuple(dict.fromkeys((*(axis for kind in kinds for axis in kind.axes), *self.result_axes)))


def axes_of(inputs: Iterable[InputKind]) -> set[str]:
    """Return the axes that a case must give sizes for."""
    return {axis for kind in inputs for axis in kind.axes}


def read_inputs(source: Source, path: Where, problems: list[Problem]) -> dict[str, InputKind]:
    """Return the inputs at `path` that could be read."""
    given = source.at(path)
    found: dict[str, InputKind] = {}
    for name in given if isinstance(given, dict) else ():
        kind = sift(keyed_word(INPUTS, source, (*path, name)), problems)
        if kind is not None:
            found[name] = kind
    return found


@dataclass(frozen=True)
class _Draft:
    """A case whose form is right, where it stands, and its own inputs."""

    path: Where
    file: CaseFile
    replaced: Mapping[str, InputKind]
    made: Mapping[str, Mapping[str, InputKind]]


def read_cases(source: Source, frame: Frame, problems: list[Problem]) -> tuple[Case, ...]:
    """Return the cases whose form is right; the model has said what is wrong with the form of others."""
    listed = source.at(("cases",))
    drafts: list[_Draft] = []
    for index in range(len(listed) if isinstance(listed, list) else 0):
        path = ("cases", index)
        file = validate(CaseFile, source, path)
        if isinstance(file, list):
            continue
        if any(_name(file) == _name(draft.file) for draft in drafts):
            what = message("a case named `{name}` is there already", name=clean(_name(file)))
            problems.append(source.problem((*path, "name"), what))
        made = {part: read_inputs(source, (*path, part), problems) for part in MADE}
        drafts.append(_Draft(path, file, read_inputs(source, (*path, "inputs"), problems), made))
    carried = axes_of((*frame.inputs.values(), *(kind for draft in drafts for kind in draft.replaced.values())))
    return tuple(_case(source, draft, frame, carried, problems) for draft in drafts)


def _case(source: Source, draft: _Draft, frame: Frame, carried: set[str], problems: list[Problem]) -> Case:
    file, path = draft.file, draft.path
    for part, known in (("inputs", frame.inputs), *((part, frame.made.get(part, {})) for part in MADE)):
        for name in getattr(file, part):
            if frame.complete and name not in known:
                what = or_near(message("the exercise has no such input to replace"), name, known)
                problems.append(source.problem((*path, part, name), what, key=True))
    for index, name in enumerate(file.omit):
        refusal = _no_omission(name, file, frame)
        if refusal:
            problems.append(source.problem((*path, "omit", index), refusal))
    if file.raises is not None and file.raises not in EXCEPTIONS:
        what = or_near(message("`{name}` is no exception of Python", name=file.raises), file.raises, EXCEPTIONS)
        problems.append(source.problem((*path, "raises"), what))
    sizes = _sizes(source, draft, frame, carried, problems)
    if (most := _numbers(draft, frame, sizes)) > MOST_NUMBERS:
        what = message(
            "the inputs and results of this case hold {got} numbers: at most {most}", got=most, most=MOST_NUMBERS
        )
        problems.append(source.problem(path, what))
    says = None if isinstance(file.name, str) else file.name
    omit = frozenset(file.omit)
    return Case(
        _name(file), sizes, file.hidden, file.weight, omit, file.raises, draft.replaced, says=says, **draft.made
    )


def _name(file: CaseFile) -> str:
    """What tells a case from the others: its English name."""
    return file.name if isinstance(file.name, str) else file.name["en"]


def _no_omission(name: str, file: CaseFile, frame: Frame) -> Message | None:
    """Return why `name` cannot be omitted, None when it can."""
    if frame.signature is None or not frame.complete:
        return None
    defaults = {parameter.name: parameter.default for parameter in frame.signature.parameters}
    if name not in defaults:
        what = message("`{signature}` has no parameter `{name}`", signature=frame.signature, name=name)
        return or_near(what, name, defaults)
    if defaults[name] is None:
        return message("`{name}` has no default and cannot be omitted", name=name)
    if name not in frame.inputs:
        return message("`{name}` has no input: it is never passed", name=name)
    return message("`{name}` is both omitted and replaced", name=name) if name in file.inputs else None


def _sizes(source: Source, draft: _Draft, frame: Frame, carried: set[str], problems: list[Problem]) -> dict[str, Size]:
    path, given = draft.path, draft.file.model_extra or {}
    needed, allowed = _axes_here(draft, frame, carried)
    sizes: dict[str, Size] = {}
    for axis, value in given.items():
        size = _size(value)
        if axis not in allowed and (frame.complete or (size is None and nearest(axis, CaseFile.model_fields))):
            problems.append(source.problem((*path, axis), _unknown_key(axis, frame, allowed), key=True))
        elif size is None:
            what = message(
                "got {got}, expected a size from 1 to {most}, or [low, high]", got=got_text(value), most=LARGEST_SIZE
            )
            problems.append(source.problem((*path, axis), what))
        else:
            sizes[axis] = size
    for axis in (axis for axis in needed if axis not in given):
        problems.append(source.problem(path, message("the axis `{axis}` has no size in this case", axis=axis)))
    return sizes


def _numbers(draft: _Draft, frame: Frame, sizes: Mapping[str, Size]) -> int:
    """Return how many numbers the inputs and results of a case hold at its largest sizes, as far as they are known."""
    largest = {axis: size if isinstance(size, int) else size[1] for axis, size in sizes.items()}
    kinds = _kinds_here(draft, frame)
    drawn = sum(kind.numbers(largest) for kind in kinds if all(is_sized(axis, largest) for axis in kind.shape_axes))
    given = [axes for axes in (frame.returns or {}).values() if axes != SIZES]
    results = ([size_of(axis, largest) for axis in axes if is_sized(axis, largest)] for axes in given)
    return drawn + (0 if draft.file.raises else sum(map(prod, results)))


def _kinds_here(draft: _Draft, frame: Frame) -> list[InputKind]:
    """Return the inputs of a case: those that it passes, and what a module is made of."""
    passed = (draft.replaced.get(name, kind) for name, kind in frame.inputs.items() if name not in draft.file.omit)
    return [
        *passed,
        *(draft.made[part].get(name, kind) for part in MADE for name, kind in frame.made.get(part, {}).items()),
    ]


def _axes_here(draft: _Draft, frame: Frame, carried: set[str]) -> tuple[list[str], set[str]]:
    """Return the axes that a case must give sizes for, in order, and those that it may give.

    An axis of the results that no input of this case has is dropped, unless no input of any case has it (`carried`), or it belongs
    to an argument that is omitted here.
    """
    file, replaced = draft.file, draft.replaced
    used = axes_of(_kinds_here(draft, frame))
    omitted = axes_of(kind for name, kind in frame.inputs.items() if name in file.omit)
    dropped = axes_of(kind for name, kind in frame.inputs.items() if name in replaced) - used
    results = {axis for axis in frame.result_axes if axis not in carried or axis in omitted - dropped}
    needed = used if file.raises else used | results
    order = dict.fromkeys((*frame.axes, *sorted(used)))
    return [axis for axis in order if axis in needed], used | results | omitted | set(frame.axes if file.raises else ())


def _size(value: Any) -> Size | None:
    def whole(number: Any) -> bool:
        return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= LARGEST_SIZE

    if whole(value):
        return int(value)
    if isinstance(value, list) and len(value) == 2 and all(map(whole, value)) and value[0] <= value[1]:
        return value[0], value[1]
    return None


def _unknown_key(key: str, frame: Frame, allowed: Iterable[str]) -> Message:
    if key in frame.axes:
        return message("no input of this case has the axis `{axis}`", axis=key)
    what = message("unknown key: neither an axis of this exercise nor a key of a case")
    return or_near(what, key, (*CaseFile.model_fields, *allowed))
