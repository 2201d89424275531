"""A course folder in, what does not fit between its reference and its files out: functions, mistakes and texts that nobody uses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from grader.author.finding import Finding, found_at
from grader.author.proof import raised_at
from grader.course.find import COURSE_FILE
from grader.course.folder import FOLDERS, MISTAKES_FILE
from grader.kinds import nearest
from grader.model import GraderError, message
from grader.stages.compute import Reference
from grader.stages.expect import FOLDER, load_reference
from grader.stages.spec.source import Source

NOT_SHOWN = f"{FOLDER}/not_shown.yaml"


def reference_findings(root: Path, sources: Mapping[str, Source], unread: Collection[str] = ()) -> Iterator[Finding]:
    """Yield what is wrong with the reference, and with what refers to it.

    What would only follow from something not being said in the files `unread` is left out.
    """
    try:
        reference = load_reference(root)
    except GraderError as error:
        place = raised_at(error.__cause__, root) if error.__cause__ else ""
        where = f"{place}:1" if place else f"{FOLDER}/__init__.py:1:1"
        yield Finding(where, message("{what}", what=str(error)), message("Mend this line, or what it uses."))
        return
    used = _used(sources)
    yield from _missing_functions(sources, reference)
    users_known = not any(name.startswith(FOLDERS) for name in unread)
    if users_known:
        yield from _idle_functions(root, reference, used["functions"])
    keys = _mistake_places(root)
    texts = sources.get(MISTAKES_FILE, Source(MISTAKES_FILE, {}))
    if MISTAKES_FILE not in unread:
        yield from _texts(reference, texts, keys)
    yield from _steps(reference, keys)
    for name in reference.mistakes:
        if users_known and name not in used["mistakes"]:
            what = message("no exercise catches the mistake {name}, and no quiz knows it", name=name)
            remedy = message("Add it to the `catches` of an exercise, or remove it with its text.")
            yield Finding(keys.get(name, f"{FOLDER}/mistakes.py:1:1"), what, remedy, mend=False)
    yield from _reasons(sources, texts, used["mistakes"])


def _used(sources: Mapping[str, Source]) -> dict[str, set[str]]:
    """Return the functions and mistakes that exercises and quizzes name."""
    functions: set[str] = set()
    mistakes: set[str] = set()
    for name, source in sources.items():
        if name == COURSE_FILE or name.startswith(FOLDER):
            continue
        functions |= {source.data["reference"]} if isinstance(source.data.get("reference"), str) else set()
        functions |= set(_under(source.data, "function"))
        mistakes |= {*_strings(source.data.get("catches")), *_strings(source.data.get("checks"))}
        mistakes |= set(_under(source.data, "mistake"))
    return {"functions": functions, "mistakes": mistakes}


def _strings(data: Any) -> Iterator[str]:
    """Yield every text in plain data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _strings(part)


def _under(data: Any, key: str) -> Iterator[str]:
    """Yield every text that stands under a key, however deep."""
    if isinstance(data, dict):
        if isinstance(data.get(key), str):
            yield data[key]
        for part in data.values():
            yield from _under(part, key)
    elif isinstance(data, list):
        for part in data:
            yield from _under(part, key)


def _missing_functions(sources: Mapping[str, Source], reference: Reference) -> Iterator[Finding]:
    for source in sources.values():
        name = source.data.get("reference")
        if isinstance(name, str) and name not in reference.functions:
            near = nearest(name, tuple(reference.functions))
            remedy = message("Did you mean `{near}`?", near=near) if near else message("Write it, or name another one.")
            yield found_at(source, ("reference",), message("the reference has no function `{name}`", name=name), remedy)


def _idle_functions(root: Path, reference: Reference, used: set[str]) -> Iterator[Finding]:
    for name, function in reference.functions.items():
        if name not in used:
            what = message("no exercise and no quiz uses the function {name} of the reference", name=name)
            remedy = message("Name it as the `reference` of an exercise, or take it out of FUNCTIONS.")
            yield Finding(_defined(root, function), what, remedy, mend=False)


def _defined(root: Path, function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    if code is None or not Path(code.co_filename).resolve().is_relative_to(root.resolve()):
        return f"{FOLDER}/__init__.py:1:1"
    return f"{Path(code.co_filename).resolve().relative_to(root.resolve()).as_posix()}:{code.co_firstlineno}:1"


def _mistake_places(root: Path) -> dict[str, str]:
    """Return where each text that is the key of a dict stands in the reference: an id of `MISTAKES` is one."""
    found: dict[str, str] = {}
    for path in filter(Path.is_file, sorted((root / FOLDER).glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for key in node.keys if isinstance(node, ast.Dict) else ():
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found.setdefault(key.value, f"{FOLDER}/{path.name}:{key.lineno}:{key.col_offset + 1}")
    return found


def _steps(reference: Reference, keys: Mapping[str, str]) -> Iterator[Finding]:
    """A step that is replaced has to be one."""
    steps = [field.name for field in fields(reference.steps)]
    for name, replaced in reference.mistakes.items():
        for step in replaced:
            if step not in steps:
                near = nearest(step, tuple(steps))
                what = message("the mistake {name} replaces {step}, which is no step", name=name, step=step)
                remedy = message("Did you mean `{near}`?", near=near) if near else message("Name a field of Steps.")
                yield Finding(keys.get(name, f"{FOLDER}/mistakes.py:1:1"), what, remedy)


def _texts(reference: Reference, texts: Source, keys: Mapping[str, str]) -> Iterator[Finding]:
    """A mistake needs its text, and a text its mistake."""
    for name in reference.mistakes:
        if name not in texts.data:
            what = message("nothing is said of the mistake {name}", name=name)
            place = keys.get(name, f"{FOLDER}/mistakes.py:1:1")
            yield Finding(place, what, message("Write its text under this id in {file}.", file=MISTAKES_FILE))
    for name in texts.data:
        if name not in reference.mistakes:
            what = message("this text belongs to no mistake of the reference")
            remedy = message("Add {name} to MISTAKES, or delete the text.", name=name)
            line, column = texts.place((name,), key=True)
            yield Finding(f"{texts.file}:{line}:{column}", what, remedy)


def _reasons(sources: Mapping[str, Source], texts: Source, caught: set[str]) -> Iterator[Finding]:
    """A reason why a code shows in no exercise is out of date once one shows it."""
    reasons = sources.get(NOT_SHOWN)
    codes = {code for name in caught if isinstance(texts.at((name,)), dict) for code in texts.at((name, "codes")) or ()}
    for code in reasons.data if reasons else ():
        if code in codes and reasons is not None:
            remedy = message("Delete the entry.")
            yield found_at(reasons, (code,), message("{code} is caught now", code=code), remedy, mend=False)
