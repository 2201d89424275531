"""An exercise file in, an `Exercise` out, or every problem of the file in one pass.

The parts are read one by one, so that a fault in one of them does not hide those in the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.kinds.checks import CHECKS, CheckKind
from grader.locale import say
from grader.model import NUMPY, TORCH, Exercise, Fingerprint, Limits, message
from grader.stages.spec.cases import Frame, read_cases
from grader.stages.spec.earlier import check_earlier_results
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import ExerciseFile
from grader.stages.spec.numpy_only import needs_torch
from grader.stages.spec.parts import read_parts
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, Source, Where, author_error, clean, or_near
from grader.stages.spec.text import check_file_name, read_text
from grader.stages.spec.words import bare_word


def load_exercise(
    path: Path, shown: str | None = None, *, mistakes: Collection[str] | None = None, arrays: str = TORCH
) -> Exercise:
    """Return the exercise in a file of a course with these `arrays`; raise AuthorError with every problem of it.

    `shown` is the path that messages name. With `mistakes`, the ids of the course, an unknown one in `catches` is a problem.
    """
    name, problems = shown or str(path), list[Problem]()
    source = read_yaml(read_text(path, name), name)
    slug = sift(check_file_name(path), problems)
    file = sift(validate(ExerciseFile, source), problems)
    parts = read_parts(source, slug, problems)
    frame = parts.frame
    cases = read_cases(source, frame, problems)
    if not problems:
        check_earlier_results(source, frame, cases, problems)
    checks = _checks(source, frame, arrays, problems)
    _catches(source, mistakes, problems)
    _roles(source, frame, problems)
    if problems or file is None or slug is None or parts.signature is None or frame.returns is None:
        raise author_error(name, problems)
    return Exercise(
        slug=slug,
        title=file.title,
        points=file.points,
        prompt=_with_demands(file.prompt, checks),
        signature=parts.signature,
        reference=file.reference,
        inputs=frame.inputs,
        returns=frame.returns,
        cases=cases,
        checks=checks,
        catches=_groups(file),
        hints=file.hints,
        limits=Limits(**file.limits.model_dump()),
        file=name,
        builds=parts.builds,
        arrays=arrays,
        fingerprint=_fingerprint(file),
    )


def _with_demands(prompt: Mapping[str, str], checks: tuple[CheckKind, ...]) -> dict[str, str]:
    """The author's text, and what the checks demand that nobody could guess."""
    demands = [check.demand for check in checks if check.demand is not None]
    return {lang: "\n\n".join([text.rstrip(), *(say(one, lang) for one in demands)]) for lang, text in prompt.items()}


def _checks(source: Source, frame: Frame, arrays: str, problems: list[Problem]) -> tuple[CheckKind, ...]:
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
    problems += needs_torch(source, frame, checks) if arrays == NUMPY else ()
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


def _groups(file: ExerciseFile) -> tuple[tuple[str, ...], ...]:
    return tuple((group,) if isinstance(group, str) else group for group in file.catches)


def _ids(listed: list[Any]) -> Iterator[tuple[Where, str]]:
    """Yield each id in `catches` with its path; the model has said what is wrong with anything else."""
    for index, entry in enumerate(listed):
        where: Where = ("catches", index)
        group = [((*where, at), one) for at, one in enumerate(entry)] if isinstance(entry, list) else [(where, entry)]
        yield from ((place, one) for place, one in group if isinstance(one, str))


def _fingerprint(file: ExerciseFile) -> Fingerprint | None:
    given = file.fingerprint
    if given is None:
        return None
    return Fingerprint(given.query, given.key, given.weights or "", given.value or "", given.mask or "")


def _roles(source: Source, frame: Frame, problems: list[Problem]) -> None:
    """What a fingerprint names has to be there."""
    given = source.at(("fingerprint",))
    if not isinstance(given, dict) or not frame.complete:
        return
    for role, name in given.items():
        known = frame.returns if role == "weights" else frame.inputs
        if known is not None and isinstance(name, str) and name not in known:
            problems.append(source.problem(("fingerprint", role), or_near(message("this is not there"), name, known)))
