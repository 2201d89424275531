"""`grader author new`: an exercise, a quiz or a course to begin with, that verifies as it is; nothing is overwritten."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.author.new_marks import UNTRANSLATED
from grader.cli.lazy import LazyGroup
from grader.cli.opening import judges_folder
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.output import write
from grader.cli.stop import Stop, no_such
from grader.course.find import COURSE_FILE
from grader.locale import say
from grader.model import LANGUAGES, NUMPY, TORCH, Course, Message, Signature, Text, message

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

COMMANDS = {
    "exercise": ("grader.cli.author.new:exercise", message("Begin an exercise: its file, its answer, its place.")),
    "quiz": ("grader.cli.author.new:quiz", message("Begin a quiz with two questions.")),
    "course": ("grader.cli.author.new:course_", message("Begin a course of your own in a new folder.")),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    help=told(message("Begin an exercise, a quiz or a course. It verifies as it is, and nothing is overwritten.")),
)
def new() -> None:
    """Run one of the commands."""


def title_options(command: Decorated) -> Decorated:
    """Add the two titles; what is not given is asked for in a terminal."""
    command = click.option("--title-zh", metavar="TEXT", help=told(message("The title in Chinese.")))(command)
    return click.option("--title-en", metavar="TEXT", help=told(message("The title in English.")))(command)


def place_options(command: Decorated) -> Decorated:
    """Add where it belongs: the module, and the number of the file."""
    number = click.IntRange(1, 999)
    command = click.option("--number", type=number, help=told(message("Its number; the next one unless given.")))(
        command
    )
    return click.option(
        "--module", metavar="N|TITLE", help=told(message("The module that it belongs to; the last one unless given."))
    )(command)


@click.command(help=told(message("Begin the exercise SLUG, which is the name of the learner's function.")))
@click.argument("slug")
@title_options
@click.option(
    "--signature", metavar="TEXT", help=told(message("What the learner writes, such as `attend(q, k, v, mask=None)`."))
)
@click.option(
    "--reference",
    metavar="NAME",
    help=told(message("The function of reference_impl, there already or to be made; SLUG unless given.")),
)
@place_options
@course_option
@lang_option
def exercise(
    slug: str, signature: str | None, reference: str | None, course: Path | None, lang: str, **given: Any
) -> None:
    from grader.author.new import Refused, Wanted, must_be_new, new_exercise
    from grader.stages.expect import load_reference

    opened = own_course(course, lang)
    function = load_reference(Path(opened.root)).functions.get(reference or slug)
    try:
        must_be_new(slug, (*opened.exercises, *opened.quizzes))
        title = asked_title(slug, given, lang)
        asked_for = signature_for(slug, signature, function, lang)
        wanted = Wanted(slug, title, module_of(opened, given["module"], lang), given["number"])
        returns = tried(function, reference or slug, asked_for, opened.arrays, lang) if function else None
        files = new_exercise(opened, wanted, asked_for, reference or slug, returns)
    except Refused as refused:
        raise Stop(refused.why, lang) from refused
    save(Path(opened.root), files, lang)
    tell_next(slug, lang)


@click.command(help=told(message("Begin the quiz SLUG.")))
@click.argument("slug")
@title_options
@place_options
@course_option
@lang_option
def quiz(slug: str, course: Path | None, lang: str, **given: Any) -> None:
    from grader.author.new import Refused, Wanted, must_be_new, new_quiz

    opened = own_course(course, lang)
    try:
        must_be_new(slug, (*opened.exercises, *opened.quizzes))
        title = asked_title(slug, given, lang)
        wanted = Wanted(slug, title, module_of(opened, given["module"], lang), given["number"])
        files = new_quiz(opened, wanted)
    except Refused as refused:
        raise Stop(refused.why, lang) from refused
    save(Path(opened.root), files, lang)
    tell_next(slug, lang)


@click.command(
    "course", help=told(message("Begin a course in the new folder DIR; exercises and quizzes are added to it."))
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@title_options
@click.option(
    "--arrays",
    type=click.Choice((TORCH, NUMPY)),
    default=TORCH,
    help=told(message("What learners' functions take and return.")),
)
@lang_option
def course_(folder: Path, arrays: str, lang: str, **given: Any) -> None:
    from grader.author.new import Refused, new_course

    try:
        files = new_course(folder, asked_title(folder.resolve().name, given, lang), arrays)
    except Refused as refused:
        raise Stop(refused.why, lang) from refused
    save(folder, files, lang)
    following = message("Next, in {folder}: grader author new exercise SLUG", folder=folder)
    click.echo(say(following, lang))


def own_course(named: Path | None, lang: str) -> Course:
    """Return the author's own course, the one named or the one around this folder; raise `Stop` where there is none."""
    from grader.course.lazily import open_course_lazily
    from grader.stages.expect import FOLDER as CODE

    here = Path().resolve()
    if named is None and not any(os.path.lexists(folder / COURSE_FILE) for folder in (here, *here.parents)):
        why = message(
            "This folder lies in no course. Go into one, name it with --course, or begin one: grader author new course DIR"
        )
        raise Stop(why, lang)
    root = judges_folder(named, lang, above=here)
    if not (root / CODE / "__init__.py").is_file():
        what = message(
            "{root} has no {file}, where the answers lie. `grader author new course DIR` begins a course with one.",
            root=root,
            file=f"{CODE}/__init__.py",
        )
        raise Stop(what, lang)
    return open_course_lazily(root)


def interactive() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def asked(question: Message, default: str, lang: str) -> str:
    """Ask in a terminal; elsewhere the answer is the default."""
    if not interactive():
        return default
    return str(click.prompt(say(question, lang), default=default)).strip() or default


def asked_title(slug: str, given: dict[str, Any], lang: str) -> Text:
    """Return the title in both languages: as given, as asked for, or made of the slug and marked as still to be translated."""
    plain = slug.replace("_", " ").strip().capitalize()
    english = given["title_en"] or asked(message("Title in English"), plain, lang)
    chinese = given["title_zh"] or asked(message("Title in Chinese"), f"{UNTRANSLATED}{english}", lang)
    return dict(zip(LANGUAGES, (english, chinese), strict=True))


def signature_for(slug: str, written: str | None, function: Callable[..., Any] | None, lang: str) -> Signature:
    """Return what the learner is to write; raise `Stop` where it is no signature of a function of this name."""
    from grader.author.new_returns import signature_of
    from grader.stages.spec.signature import parse_signature

    default = str(signature_of(function, slug)) if function else f"{slug}(x)"
    text = written or asked(message("Signature"), default, lang)
    parsed = parse_signature(text if "(" in text else f"{text}()")
    if not isinstance(parsed, Signature):
        raise Stop(message("--signature is not right: {what}", what=parsed), lang)
    if parsed.name != slug:
        what = message(
            "--signature: got the function `{name}`, expected `{slug}`. (A module is written by hand: the keys of {schema} say how.)",
            name=parsed.name,
            slug=slug,
            schema="schemas/exercise.schema.json",
        )
        raise Stop(what, lang)
    return parsed


def module_of(course: Course, named: str | None, lang: str) -> int:
    """Return the place of the module that is named by number or title; the last one unless one is named or chosen."""
    titles = [say(module.title, lang) for module in course.modules]
    if named is None:
        listed = "\n".join(f"  {at} {title}" for at, title in enumerate(titles, 1))
        question = message("{listed}\nModule", listed=listed)
        named = asked(question, str(len(titles)), lang)
    if named.isdigit() and 1 <= int(named) <= len(titles):
        return int(named) - 1
    for at, module in enumerate(course.modules):
        if named in module.title.values():
            return at
    raise no_such(named, titles, lang)


def tried(function: Callable[..., Any], name: str, signature: Signature, arrays: str, lang: str) -> str:
    """Return the axes of what an existing function gives; raise `Stop` where it wants more than plain arrays of one shape."""
    from grader.author.new_returns import NoPlainArrays, returns_of

    try:
        return returns_of(function, signature, arrays)
    except NoPlainArrays as error:
        why = message(
            "The reference has a function {name} already, and it does not take arrays of one shape (B, T, D) alone ({why}). "
            "Copy an exercise that uses it, or name another function with --reference.",
            name=name,
            why=str(error),
        )
        raise Stop(why, lang) from error


def save(root: Path, files: Any, lang: str) -> None:
    """Write new files and those that grow, course.yaml last: before, nothing knows of the others."""
    try:
        for name, text in files.made.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            write(root / name, text)
            click.echo(say(message("{file} is written.", file=os.path.relpath(root / name)), lang))
        for name, text in sorted(files.changed.items(), key=lambda pair: pair[0] == COURSE_FILE):
            write(root / name, text)
            click.echo(say(message("{file} has a new entry.", file=os.path.relpath(root / name)), lang))
    except OSError as error:
        why = message("{file} cannot be written: {why}.", file=error.filename or root, why=error.strerror)
        raise Stop(why, lang) from error


def tell_next(slug: str, lang: str) -> None:
    """Say what comes next."""
    click.echo(say(message("It verifies as it is: grader author verify {slug}", slug=slug), lang))
    click.echo(say(message("What the learner will see: grader author preview {slug}", slug=slug), lang))
