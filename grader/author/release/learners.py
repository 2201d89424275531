"""A learner's copy of a course in, what learners get out: a wheel, starters, answer sheets, prompts and a README."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from grader.author.release.courses import Files, lay_out
from grader.author.release.templates import filled
from grader.author.release.wheels import LEARNER, wheel
from grader.course import workspace
from grader.course.batch.pages import file_stem
from grader.course.downloads import Person
from grader.course.folder import load_course
from grader.course.variants import draw_of
from grader.locale import say
from grader.model import Course, Exercise, message
from grader.stages.sheet import answer_sheet

README, PROMPTS = "README.md", "EXERCISES.md"


def learner_files(course: Mapping[str, bytes], lang: str, own: Collection[str] = ()) -> Files:
    """Return the folder of a learner. Answer sheets have the first draw of questions that vary; those in `own` are not in it."""
    built = wheel(LEARNER, course)
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_course(lay_out(Path(folder, "course"), course))
        sheets = {slug: answer_sheet(quiz, lang) for slug, quiz in loaded.quizzes.items()}
        work = Path(folder, "work")
        workspace.create(work, loaded, sheets, lang)
        files = {p.relative_to(work).as_posix(): p.read_bytes() for p in sorted(work.rglob("*")) if p.is_file()}
    title, _, contents = files[README].decode().partition("\n\n")
    for slug in own:
        quiz = loaded.quizzes[slug]
        del files[workspace.file_name(quiz)]
        listed = f"- `{workspace.file_name(quiz)}`: {say(quiz.title, lang)}"
        told = message("{item} (you are given a sheet of your own)", item=listed)
        contents = contents.replace(f"{listed}\n", f"{say(told, lang)}\n")
    begin = filled(f"learner.{lang}.md", _has(loaded), WHEEL=built.name).decode()
    files[README] = f"{title}\n\n{begin}{contents}".encode()
    files[PROMPTS] = "\n".join(_prompts(loaded, lang)).encode()
    files[f"wheels/{built.name}"] = built.data
    return files


def _has(course: Course) -> set[str]:
    """Return the words for what is in a course, by which its README says no more than there is."""
    words = {"quizzes": bool(course.quizzes), "graded": any(quiz.graded for quiz in course.quizzes.values())}
    return {word for word, there in words.items() if there}


def own_sheets(
    course: Mapping[str, bytes], own: Collection[str], people: Iterable[Person], secret: bytes, lang: str
) -> Files:
    """Return the answer sheets of quizzes in which every learner has numbers of their own, in a folder for each learner."""
    with tempfile.TemporaryDirectory() as folder:
        quizzes = load_course(lay_out(Path(folder), course)).quizzes
    return {
        f"{file_stem(person.id)}/{workspace.file_name(quizzes[slug])}": answer_sheet(
            quizzes[slug], lang, draw=draw_of(secret, person.id, slug)
        ).encode()
        for person in people
        for slug in own
    }


def _prompts(course: Course, lang: str) -> Iterator[str]:
    """Yield the lines of a page with all that the exercises ask for."""
    yield f"# {say(course.title, lang)}\n"
    for module, content in workspace.items(course):
        yield f"## {say(module.title, lang)}\n"
        for item in content:
            if isinstance(item, Exercise):
                yield from _prompt(item, lang)
            else:
                yield f"### {say(item.title, lang)}\n\n`{workspace.file_name(item)}`\n\n{say(item.intro, lang).strip()}\n"


def _prompt(exercise: Exercise, lang: str) -> Iterator[str]:
    yield f"### {say(exercise.title, lang)}\n\n`{workspace.file_name(exercise)}`\n"
    yield "\n".join(["```python", *(line.removesuffix(":") for line in exercise.definition), "```", ""])
    yield f"{say(exercise.prompt, lang).strip()}\n"
    shown = ", ".join(say(case.shown, lang) for case in exercise.cases)
    yield say(message("Cases: {names}; and {hidden} hidden.", names=shown, hidden=len(exercise.elsewhere)), lang) + "\n"
