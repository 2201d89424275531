"""An exercise file in, an `Exercise` out, or every problem of the file in one pass.

The parts are read one by one, so that a fault in one of them does not hide those in the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from grader.kinds.checks import CHECKS, CheckKind
from grader.model import SIZES, Exercise, Limits, Returned, Signature, message
from grader.stages.spec.cases import Frame, read_cases, read_inputs
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import ExerciseFile
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.signature import parse_signature
from grader.stages.spec.source import Problem, Source, Where, author_error, clean, or_near
from grader.stages.spec.text import check_file_name, read_text
from grader.stages.spec.words import bare_word


def load_exercise(path: Path, shown: str | None = None, *, mistakes: Collection[str] | None = None) -> Exercise:
    """Return the exercise in a file.

    `shown` is the path that messages name. With `mistakes`, the ids of the course, an unknown one in `catches` is a problem.
    Raise AuthorError with every problem of the file.
    """
    name = shown or str(path)
    source = read_yaml(read_text(path, name), name)
    problems: list[Problem] = []
    slug = sift(check_file_name(path), problems)
    file = sift(validate(ExerciseFile, source), problems)
    frame = _frame(source, slug, problems)
    _parameters_have_inputs(source, frame, problems)
    cases = read_cases(source, frame, problems)
    checks = _checks(source, frame, problems)
    _catches(source, mistakes, problems)
    if problems or file is None or slug is None or frame.signature is None or frame.returns is None:
        raise author_error(name, problems)
    return Exercise(
        slug=slug,
        title=file.title,
        points=file.points,
        prompt=file.prompt,
        signature=frame.signature,
        reference=file.reference,
        inputs=frame.inputs,
        returns=frame.returns,
        cases=cases,
        checks=checks,
        catches=tuple((group,) if isinstance(group, str) else group for group in file.catches),
        hints=file.hints,
        limits=Limits(**file.limits.model_dump()),
        file=name,
    )


def _frame(source: Source, slug: str | None, problems: list[Problem]) -> Frame:
    signature = _signature(source, slug, problems)
    given = source.at(("inputs",))
    inputs = read_inputs(source, ("inputs",), problems)
    returns = returns_of(source.at(("returns",)))
    complete = isinstance(given, dict) and len(inputs) == len(given) and returns is not None
    return Frame(signature, inputs, returns, complete)


def returns_of(value: Any) -> dict[str, Returned] | None:
    """Return the results that `returns` describes, None where its form is wrong (the model says how)."""
    results = (
        {name: _returned(one) for name, one in value.items()} if isinstance(value, dict) else {"": _returned(value)}
    )
    known = {name: one for name, one in results.items() if one is not None}
    return known if known and len(known) == len(results) else None


def _returned(value: Any) -> Returned | None:
    if value == SIZES:
        return SIZES
    return tuple(value) if isinstance(value, list) and all(isinstance(axis, (str, int)) for axis in value) else None


def _signature(source: Source, slug: str | None, problems: list[Problem]) -> Signature | None:
    text = source.at(("signature",))
    if not isinstance(text, str):
        return None  # the model says so
    signature = parse_signature(text)
    if not isinstance(signature, Signature):
        problems.append(source.problem(("signature",), signature))
        return None
    if slug is not None and signature.name != slug:
        what = message(
            "got the function `{name}`, expected `{slug}`, as the file is named", name=signature.name, slug=slug
        )
        problems.append(source.problem(("signature",), what))
    return signature


def _parameters_have_inputs(source: Source, frame: Frame, problems: list[Problem]) -> None:
    given = source.at(("inputs",))
    if frame.signature is None or not isinstance(given, dict):
        return
    names = [parameter.name for parameter in frame.signature.parameters]
    for name in given:
        if name not in names:
            what = or_near(message("`{signature}` has no such parameter", signature=frame.signature), name, names)
            problems.append(source.problem(("inputs", name), what, key=True))
    for parameter in frame.signature.parameters:
        if parameter.default is None and parameter.name not in given:
            what = message("the parameter `{name}` has no input", name=parameter.name)
            problems.append(source.problem(("inputs",), what, key=True))


def _checks(source: Source, frame: Frame, problems: list[Problem]) -> tuple[CheckKind, ...]:
    listed = source.at(("checks",))
    checks: list[CheckKind] = []
    for index in range(len(listed) if isinstance(listed, list) else 0):
        path = ("checks", index)
        check = sift(bare_word(CHECKS, source, path), problems)
        if check is None:
            continue
        if any(check.word == other.word for other in checks):
            problems.append(source.problem(path, message("the check `{word}` is there twice", word=check.word)))
        checks.append(check)
        _check_options(source, frame, index, check, problems)
    return tuple(checks)


def _check_options(source: Source, frame: Frame, index: int, check: CheckKind, problems: list[Problem]) -> None:
    """A check that names an axis, a result or an input that is not there would never find anything."""
    if not frame.complete:
        return
    known = {"axis": frame.axes, "mask": tuple(frame.inputs), "result": tuple(frame.returns or ())}
    for option in type(check).model_fields:
        name = getattr(check, option)
        if option in known and name not in known[option]:
            what = message(
                "the check `{word}` needs the {option} `{name}`, which is not there",
                word=check.word,
                option=option,
                name=name,
            )
            path = ("checks", index, check.word, option)
            problems.append(source.problem(path, or_near(what, name, known[option])))


def _catches(source: Source, mistakes: Collection[str] | None, problems: list[Problem]) -> None:
    listed = source.at(("catches",))
    if not isinstance(listed, list):
        return  # the model says so
    if listed and mistakes is not None and not mistakes:
        problems.append(source.problem(("catches",), message("the course has no reference_impl/mistakes.yaml")))
        mistakes = None
    seen: set[str] = set()
    for path, mistake in _ids(listed):
        if mistake in seen:
            problems.append(source.problem(path, message("`{word}` is there twice", word=clean(mistake))))
        elif mistakes is not None and mistake not in mistakes:
            what = message("reference_impl/mistakes.yaml has no `{word}`", word=clean(mistake))
            problems.append(source.problem(path, or_near(what, mistake, mistakes)))
        seen.add(mistake)


def _ids(listed: list[Any]) -> Iterator[tuple[Where, str]]:
    """Yield each id in `catches` with its path; the model has said what is wrong with anything else."""
    for index, entry in enumerate(listed):
        where: Where = ("catches", index)
        group = [((*where, at), one) for at, one in enumerate(entry)] if isinstance(entry, list) else [(where, entry)]
        yield from ((place, one) for place, one in group if isinstance(one, str))
