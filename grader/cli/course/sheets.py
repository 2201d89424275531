"""`grader course sheets`: a roster in, the answer sheets of graded quizzes out, each learner's with numbers of their own."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.course.opening import listed, tell_elsewhere
from grader.cli.opening import course_folder
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import FAULT, Stop
from grader.cli.targets import must_exist
from grader.course.batch.pages import file_stem, write_whole
from grader.course.downloads import Person, RosterError, read_roster
from grader.course.folder import load_course, load_policy
from grader.course.variants import NoSecret, draw_of, has_variants, variant_secret
from grader.locale import say
from grader.model import Quiz, message
from grader.stages.sheet import answer_sheet


@click.command(
    help=told(message("Write the answer sheets of graded quizzes, for each learner with numbers of their own."))
)
@click.option(
    "--roster",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help=told(message("A CSV of the learners.")),
)
@click.option(
    "--out", required=True, type=FOLDER, metavar="DIR", help=told(message("Where the sheets go: one folder a learner."))
)
@course_option
@lang_option
def sheets(roster: Path, out: Path, course: Path | None, lang: str) -> None:
    must_exist((roster,), lang)
    root = course_folder(course, lang)
    tell_elsewhere(course, root, lang)
    loaded = load_course(root)
    quizzes = [quiz for quiz in loaded.quizzes.values() if has_variants(quiz)]
    if not quizzes:
        raise Stop(
            message("No graded quiz of the course has numbers that vary, so one sheet is right for everybody."), lang
        )
    try:
        secret = variant_secret(load_policy(root), root, os.environ)
        people = read_roster(roster).people
    except NoSecret as error:
        raise Stop(error.why, lang, FAULT) from error
    except RosterError as error:
        raise listed(error.problems, message("The roster cannot be read."), lang) from error
    if secret is None:
        raise Stop(
            message("course.yaml says under policy.variants where the secret lies; it says nothing yet."), lang, FAULT
        )
    written = list(_written(list(people.values()), quizzes, secret, lang))
    if there := [name for name, _ in written if (out / name).exists()]:
        raise Stop(message("{name} is there already, and somebody may have answered it.", name=out / there[0]), lang)
    for name, text in written:
        write_whole(out / name, text)
    click.echo(say(message("Sheets: {n}, for {learners} learners.", n=len(written), learners=len(people)), lang))


def _written(people: list[Person], quizzes: list[Quiz], secret: bytes, lang: str) -> list[tuple[Path, str]]:
    return [
        (
            Path(file_stem(person.id), f"{quiz.slug}.yaml"),
            answer_sheet(quiz, lang, draw=draw_of(secret, person.id, quiz.slug)),
        )
        for person in people
        for quiz in quizzes
    ]
