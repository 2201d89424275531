"""A course folder in, what should be mended in it out: with the place and a remedy, files that cannot be read included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from grader.author.doctor_quizzes import key_findings
from grader.author.doctor_reference import reference_findings
from grader.author.doctor_texts import text_findings
from grader.author.finding import Finding, found_at, from_problem
from grader.author.schema import schemas
from grader.course.find import COURSE_FILE
from grader.course.folder import FOLDERS, MISTAKES_FILE, load_course
from grader.course.own_kinds import own_words
from grader.kinds import speaking
from grader.model import AuthorError, message
from grader.stages.expect import FOLDER
from grader.stages.spec import load_quiz
from grader.stages.spec.reader import parse
from grader.stages.spec.source import Source
from grader.stages.spec.text import check_file_name

COMMENT = re.compile(r"#\s*yaml-language-server:\s*\$schema=(\S+)")
SCHEMA_OF = {"exercises": "exercise.schema.json", "quizzes": "quiz.schema.json"}


@dataclass(frozen=True)
class Folder:
    """A course folder as it lies there: every file that parses, whatever else is wrong with it."""

    root: Path

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each YAML file of the course by its name; what is not UTF-8 is left to the loader."""
        paths = [
            self.root / COURSE_FILE,
            *(path for name in FOLDERS for path in sorted((self.root / name).glob("*.y*ml"))),
        ]
        paths += sorted((self.root / FOLDER).glob("*.yaml"))
        return {
            path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in paths
            if path.is_file()
        }

    @cached_property
    def parsed(self) -> dict[str, tuple[Source, bool]]:
        """The data of each file by its name, as far as it parses, and whether that is all of it."""
        read = {name: parse(text, name) for name, text in self.texts.items()}
        return {name: (source, not problems) for name, (source, problems) in read.items()}

    @property
    def sources(self) -> dict[str, Source]:
        """The data of each file by its name, as far as it parses."""
        return {name: source for name, (source, _) in self.parsed.items()}

    @property
    def unread(self) -> frozenset[str]:
        """The files that do not parse whole: what they do not say is no finding."""
        return frozenset(name for name, (_, whole) in self.parsed.items() if not whole)

    def of(self, folder: str) -> dict[str, Source]:
        """Return the files of one folder."""
        return {name: source for name, source in self.sources.items() if name.startswith(f"{folder}/")}


def look_over(root: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Return what there is to say about a course, in the order of files and lines; what should be mended comes first."""
    folder = Folder(root)
    found = [*_problems(root), *_numbers(folder), *_schema_comments(folder), *_schemas(folder)]
    if COURSE_FILE in folder.sources:
        found += [*(() if COURSE_FILE in folder.unread else _secret(folder, environ)), *_preload(folder)]
    for name, source in folder.sources.items():
        found += text_findings(source, folder.texts[name])
    found += [*_keys(folder), *reference_findings(root, folder.sources, folder.unread)]
    unique = [one for at, one in enumerate(found) if one not in found[:at]]
    return sorted(unique, key=lambda one: (not one.mend, _ordered(one.place)))


def _ordered(place: str) -> tuple[str, int, int]:
    file, _, rest = place.partition(":")
    line, _, column = rest.partition(":")
    return file, int(line or 0), int(column or 0)


def _problems(root: Path) -> list[Finding]:
    try:
        load_course(root)
    except AuthorError as error:
        return [from_problem(problem) for problem in error.problems]
    return []


def _numbers(folder: Folder) -> Iterator[Finding]:
    """Two files with one number have no order."""
    for name in FOLDERS:
        taken: dict[str, str] = {}
        for path in sorted((folder.root / name).glob("*.yaml")):
            if isinstance(check_file_name(path), list):
                continue  # the loader says so
            number = path.name.split("_")[0]
            if number in taken:
                what = message("the number {number} is that of {file} too", number=number, file=taken[number])
                yield Finding(f"{name}/{path.name}:1:1", what, message("Rename one of the two files."))
            taken.setdefault(number, path.name)


def _schema_comments(folder: Folder) -> Iterator[Finding]:
    """Without the comment an editor neither completes nor checks a file."""
    wanted = {COURSE_FILE: "course.schema.json", MISTAKES_FILE: "mistakes.schema.json"}
    wanted |= {name: SCHEMA_OF[part] for part in FOLDERS for name in folder.of(part)}
    for name, schema in wanted.items():
        if name not in folder.texts:
            continue
        up = "../" if "/" in name else ""
        line = f"# yaml-language-server: $schema={up}schemas/{schema}"
        told = next((COMMENT.match(row) for row in folder.texts[name].splitlines()[:5] if COMMENT.match(row)), None)
        if told is None:
            what = message("no schema is named, so an editor neither completes nor checks this file")
            yield Finding(f"{name}:1:1", what, message("Make this the first line: {line}", line=line))
        elif "://" not in told[1] and not ((folder.root / name).parent / told[1]).is_file():
            what = message("the schema {file} is not there", file=told[1])
            yield Finding(f"{name}:1:1", what, message("`grader author schema --out schemas` writes it."))


def _schemas(folder: Folder) -> Iterator[Finding]:
    """Schemas of another version complete other words."""
    try:
        with speaking(own_words(folder.root)):
            made = schemas()
    except AuthorError:
        return  # told already
    for name, text in made.items():
        file = folder.root / "schemas" / name
        if file.is_file() and file.read_text(encoding="utf-8") != text:
            what = message("this schema is not that of this grader, which knows other words")
            remedy = message("`grader author schema --out schemas` writes it anew.")
            yield Finding(f"schemas/{name}:1:1", what, remedy, mend=False)


def _keys(folder: Folder) -> Iterator[Finding]:
    """What is to be said about the keys of quizzes, as far as they can be read."""
    for name, source in folder.of("quizzes").items():
        try:
            with speaking(own_words(folder.root)):
                quiz = load_quiz(folder.root / name, name)
        except AuthorError:
            continue  # told already
        yield from key_findings(quiz, source)


def _secret(folder: Folder, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Hidden cases are hidden only where they are drawn from a secret."""
    course = folder.sources[COURSE_FILE]
    secret = course.at(("secret",))
    if not isinstance(secret, dict):
        what = message("no secret is named: hidden cases are drawn from a public default, fine for practice alone")
        remedy = message(
            "For marks: `secret: {{env: NAME}}` or `secret: {{file: PATH}}`, which the judge alone can read."
        )
        yield found_at(course, (), what, remedy, mend=False)
        return
    file, name = secret.get("file"), secret.get("env")
    if isinstance(file, str) and not (folder.root / file).is_file():
        remedy = message("Write some random words into it, where learners cannot read them.")
        yield found_at(course, ("secret", "file"), message("the file of the secret is not here"), remedy)
    if isinstance(name, str) and not environ.get(name):
        what = message("the environment variable of the secret is not set here")
        remedy = message("Set {name} wherever marks are given.", name=name)
        yield found_at(course, ("secret", "env"), what, remedy)


def _preload(folder: Folder) -> Iterator[Finding]:
    """What learners may import has to be there."""
    course = folder.sources[COURSE_FILE]
    listed = course.at(("preload",))
    for at, name in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(name, str) and not _importable(name):
            top = name.split(".")[0]
            remedy = message("pip install {name}, or take it out of `preload`.", name=top)
            yield found_at(course, ("preload", at), message("{name} cannot be imported here", name=name), remedy)


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False
