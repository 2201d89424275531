"""What an author wants to begin in, the texts of the files that this needs out: an exercise, a quiz, or a course.

Each of them already verifies. Nothing is written here, and no text takes the place of one that is there: `made` are new files,
`changed` are those that only grow.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from grader.author.new_listing import NotListed, with_entry
from grader.author.schema import schemas
from grader.course.find import COURSE_FILE
from grader.course.folder import MISTAKES_FILE
from grader.kinds.reports.templates import template
from grader.model import TORCH, Course, Message, Signature, Text, message
from grader.stages.expect import FOLDER
from grader.stages.spec.models import SLUG
from grader.stages.spec.text import check_file_name

LANGUAGE_SERVER = "# yaml-language-server: $schema={schema}\n"
ARRAYS = {"torch": "Tensor", "numpy": "ndarray"}


class Refused(Exception):
    """It cannot be begun like this; `why` says what to do."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


@dataclass(frozen=True)
class Files:
    """Texts by path inside the course: new files, and files that get something added."""

    made: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """What an exercise or quiz is to be called, and where it belongs: the place of its module, its number in the folder."""

    slug: str
    title: Text
    module: int
    number: int | None = None


def new_exercise(course: Course, wanted: Wanted, signature: Signature, reference: str, returns: str | None) -> Files:
    """Return the files of a new exercise: its own, its answer with a mistake, and what is said of that.

    `returns` are the axes of what an existing function gives; None: the function is new, and gets a file.
    """
    root, slug = Path(course.root), wanted.slug
    name = _file_name(root, "exercises", wanted)
    fields = _exercise_fields(slug, signature, reference, course.arrays)
    fields |= {"title": wanted.title, "own": returns is None, "returns": returns or "[B, T, D]"}
    made = {name: _filled("new_exercise.yaml.jinja", fields)}
    changed = {COURSE_FILE: _listed(root, wanted, "exercises")}
    if returns is None:
        made[f"{FOLDER}/exercise_{slug}.py"] = _filled("new_exercise.py.jinja", fields)
        old = _text(root / MISTAKES_FILE)
        text = _filled("new_mistake.yaml.jinja", {**fields, "code": _code(slug, old)})
        if old:
            changed[MISTAKES_FILE] = old.rstrip("\n") + "\n" + text
        else:
            made[MISTAKES_FILE] = LANGUAGE_SERVER.format(schema="../schemas/mistakes.schema.json") + text
    return _nothing_lost(root, Files(made, changed))


def _exercise_fields(slug: str, signature: Signature, reference: str, arrays: str) -> dict[str, object]:
    names = [parameter.name for parameter in signature.parameters if parameter.default is None]
    if not names:
        raise Refused(
            message("A function without a required argument has nothing to be tried with: {it}.", it=signature)
        )
    typed, total = ARRAYS[arrays], sum(range(1, len(names) + 1))
    return {
        "slug": slug,
        "signature": str(signature),
        "names": names,
        "optional": {p.name: _drawn(p.default) for p in signature.parameters if p.default is not None},
        "one": len(names) == 1,
        "before": "total" if len(names) > 1 else "given",
        "file": f"{FOLDER}/exercise_{slug}.py",
        "folder": FOLDER,
        "arrays": arrays,
        "array": typed,
        "reference": reference,
        "mistake": f"{slug}_not_doubled",
        "sum_step": f"{slug}_sum" if len(names) > 1 else f"{slug}_first",
        "double_step": f"{slug}_double",
        "sum": total,
        "by_hand": 2 * total,
        "typed_names": ", ".join(f"{name}: {typed}" for name in names),
        "typed": ", ".join(_typed(signature, typed)),
    }


def _drawn(default: str) -> str:
    """Return how an argument with this default could be drawn: as a value like it, or as an array where no value can be written."""
    value = ast.literal_eval(default)
    array = "{normal: [B, T, D]}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{{value: {default}}}" if isfinite(value) else array
    try:
        return array if value is None else f"{{value: {json.dumps(value, ensure_ascii=False)}}}"
    except TypeError:  # a set, bytes: YAML has none
        return array


def new_quiz(course: Course, wanted: Wanted) -> Files:
    """Return the files of a new quiz; its questions practise an exercise of the same module, or the first of the course."""
    root = Path(course.root)
    near = (*course.modules[wanted.module].exercises, *course.exercises)
    fields = {"slug": wanted.slug, "title": wanted.title, "practises": near[0] if near else ""}
    made = {_file_name(root, "quizzes", wanted): _filled("new_quiz.yaml.jinja", fields)}
    return _nothing_lost(root, Files(made, {COURSE_FILE: _listed(root, wanted, "quizzes")}))


def new_course(folder: Path, title: Text, arrays: str = TORCH) -> Files:
    """Return the files of an empty course."""
    fields = {"title": title, "arrays": arrays}
    texts = {
        COURSE_FILE: "new_course.yaml.jinja",
        "README.md": "new_course.md.jinja",
        f"{FOLDER}/__init__.py": "new_reference.py.jinja",
        f"{FOLDER}/steps.py": "new_steps.py.jinja",
        f"{FOLDER}/mistakes.py": "new_mistakes.py.jinja",
    }
    made = {name: _filled(source, fields) for name, source in texts.items()}
    made |= {f"schemas/{name}": text for name, text in schemas().items()}
    return _nothing_lost(folder, Files(made))


def must_be_new(slug: str, known: Collection[str]) -> None:
    """Raise Refused for a slug that is none, or that the course has already."""
    if not re.fullmatch(SLUG, slug):
        raise Refused(message("{slug!r} is no slug: lower-case letters, digits and `_`, a letter first.", slug=slug))
    if slug in known:
        raise Refused(message("The course has a {slug} already. Choose another slug.", slug=slug))


def next_number(root: Path, folder: str) -> int:
    """Return the number after the last one in a folder."""
    return max((int(path.name.split("_")[0]) for path in _numbered(root / folder)), default=0) + 1


def _numbered(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.yaml") if isinstance(check_file_name(path), str)]


def _file_name(root: Path, folder: str, wanted: Wanted) -> str:
    number = next_number(root, folder) if wanted.number is None else wanted.number
    taken = next((path for path in _numbered(root / folder) if int(path.name.split("_")[0]) == number), None)
    if taken is not None:
        what = message(
            "The number {number} is taken by {file}. Choose another one, or leave out --number.",
            number=number,
            file=taken.name,
        )
        raise Refused(what)
    return f"{folder}/{number:02d}_{wanted.slug}.yaml"


def _listed(root: Path, wanted: Wanted, folder: str) -> str:
    """Return course.yaml with the new entry."""
    try:
        return with_entry(_text(root / COURSE_FILE), wanted.module, folder, wanted.slug)
    except NotListed:
        what = message(
            "course.yaml is written in a way that nothing can be added to. Add {slug} to the {folder} of a module by hand.",
            slug=wanted.slug,
            folder=folder,
        )
        raise Refused(what) from None


def _code(slug: str, texts: str) -> str:
    """Return a code that no mistake has yet: the initials of the slug, and a number."""
    letters = "".join(word[0] for word in slug.split("_") if word[:1].isalpha())[:4].upper()
    taken = set(re.findall(r"\b[A-Z]{1,4}[0-9]{1,3}\b", texts))
    return next(f"{letters}{number}" for number in range(1, 1000) if f"{letters}{number}" not in taken)


def _typed(signature: Signature, array: str) -> list[str]:
    required = [f"{p.name}: {array}" for p in signature.parameters if p.default is None]
    return [*required, *(f"{p.name}: Any = {p.default}" for p in signature.parameters if p.default is not None)]


def _nothing_lost(root: Path, files: Files) -> Files:
    """Return the files; raise Refused where a new one would take the place of another."""
    there = [name for name in files.made if (root / name).exists() or (root / name).is_symlink()]
    if there:
        what = message("{file} is there already, and nothing is overwritten.", file=str(root / there[0]))
        raise Refused(what)
    return files


def _filled(name: str, fields: Mapping[str, object]) -> str:
    return template(name, quoted=_quoted).render(**fields).rstrip("\n") + "\n"


def _quoted(text: str) -> str:
    """Return a text as YAML holds it whatever is in it; plain where that is safe."""
    return (
        text
        if re.fullmatch(r"[\w一-鿿][\w一-鿿 ()=,.\-]*", text) and not _special(text)
        else json.dumps(text, ensure_ascii=False)
    )


def _special(text: str) -> bool:
    """Whether a plain text would end early in braces, or be read as a number or a word of YAML."""
    return (
        "," in text
        or text.strip() != text
        or not re.search(r"[^\W\d]", text)
        or text.lower() in ("null", "true", "false")
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
