"""`grader list`, `show`, `hint` and `reset`: what a learner does between two checks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from pathlib import Path

import click

from grader.cli.onward import onward
from grader.cli.opening import find_item, open_course
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import Stop
from grader.course import workspace
from grader.course.workspace import Standing
from grader.kinds.reports.terminal import cells, pad, wrap
from grader.kinds.reports.view import number
from grader.locale import say
from grader.model import Course, Exercise, Message, Quiz, message

WIDEST = 120  # columns; no prompt is wider
MARKS = {"passed": "✓", "failed": "✗", "not_judged": "…"}  # every other verdict is a "!", nothing yet a "·"
LEGEND = {
    "✓": message("passed"),
    "✗": message("failed"),
    "…": message("waits for a person"),
    "!": message("stopped early, or cannot be read"),
    "·": message("not started"),
}


def total(item: Exercise | Quiz) -> tuple[float, float]:
    """Return the points that can be had here, as `grader check` counts them, and those that only a person gives."""
    if isinstance(item, Exercise):
        return item.points_here, 0.0
    from grader.stages.answers import judged_here  # with a quiz at hand all that it needs is here already

    here = fsum(question.points for question in item.questions if judged_here(question))
    return here, fsum(question.points for question in item.questions) - here


@click.command("list", help=told(message("List exercises and quizzes with what you reached in this workspace.")))
@course_option
@lang_option
def list_(course: Path | None, lang: str) -> None:
    click.echo(list_of(open_course(course, lang), workspace.find_workspace(Path()), lang))


def list_of(loaded: Course, root: Path | None, lang: str) -> str:
    """Return every exercise and quiz of a course with what was reached in the workspace, and what comes next."""
    standings = workspace.read_progress(root).standings if root else {}
    chapters = list(workspace.items(loaded))
    everything = [item for _, content in chapters for item in content]
    slugs = max((cells(item.slug) for item in everything), default=0)
    scores = {item.slug: _score(item, standings.get(item.slug)) for item in everything}
    widest = max(map(cells, scores.values()), default=0)
    marks = {item.slug: _mark(standings.get(item.slug)) for item in everything}
    lines = []
    for module, content in chapters:
        lines.append(say(module.title, lang))
        for item in content:
            mark = marks[item.slug]
            score = pad(scores[item.slug], widest, right=True)
            lines.append(f"  {mark} {pad(item.slug, slugs)}  {score}  {say(item.title, lang)}")
    legend = "  ".join(f"{mark} {say(meant, lang)}" for mark, meant in LEGEND.items() if mark in marks.values())
    return "\n".join([*lines, legend, *(say(told, lang) for told in _below(everything, standings))])


def _mark(standing: Standing | None) -> str:
    return MARKS.get(standing.verdict, "!") if standing else "·"


def _score(item: Exercise | Quiz, standing: Standing | None) -> str:
    here, _ = total(item)
    return f"{number(standing.score, here) if standing else '–'}/{number(here)}" if here else "–"


def _below(everything: Sequence[Exercise | Quiz], standings: Mapping[str, Standing]) -> Iterator[Message]:
    """What stands below the list: the sum, what it leaves out, and what comes next."""
    here, later = (fsum(points) for points in zip(*map(total, everything), strict=True))
    reached = fsum(standings[item.slug].score for item in everything if item.slug in standings)
    yield message("Total: {points}", points=f"{number(reached, here)}/{number(here)}")
    elsewhere = fsum(item.points - item.points_here for item in everything if isinstance(item, Exercise))
    if elsewhere:
        more = number(later + elsewhere)
        yield message("What is judged elsewhere, or by a person, counts {points} points more.", points=more)
    elif later:
        yield message(
            "Answers in your own words count {points} points more, once a person has read them.", points=number(later)
        )
    following = next((item.slug for item in everything if not _is_done(standings.get(item.slug))), None)
    yield message("Next: grader show {slug}", slug=onward(following)) if following else message("All done.")


def _is_done(standing: Standing | None) -> bool:
    return standing is not None and standing.verdict in ("passed", "not_judged")


@click.command(help=told(message("Show what SLUG asks for.")))
@click.argument("slug")
@course_option
@lang_option
def show(slug: str, course: Path | None, lang: str) -> None:
    item = find_item(open_course(course, lang), slug, lang)
    here, later = total(item)
    heading = message("{title} · {points} points", title=item.title, points=number(here))
    if later:
        heading = message(
            "{heading}, and {more} once a person has read your answers", heading=heading, more=number(later)
        )
    click.secho(say(heading, lang), bold=True)
    paragraphs = exercise_text(item, lang) if isinstance(item, Exercise) else quiz_text(item, lang)
    click.echo("\n" + "\n\n".join(paragraphs))


def exercise_text(exercise: Exercise, lang: str) -> list[str]:
    """Return what an exercise asks for, as paragraphs. The prompt stays as its author laid it out."""
    shown = [say(case.shown, lang) for case in exercise.cases if not case.hidden]
    hidden = len(exercise.cases) - len(shown) + len(exercise.elsewhere)
    cases = message("Cases: {names}; and {hidden} hidden.", names=", ".join(shown), hidden=hidden)
    file, slug = onward(workspace.file_name(exercise)), onward(exercise.slug)
    then = message("Then: grader check {file} · stuck: grader hint {slug}", file=file, slug=slug)
    return [
        "\n".join(line.removesuffix(":") for line in exercise.definition),
        say(exercise.prompt, lang).rstrip(),
        wrapped(say(cases, lang)),
        say(then, lang),
    ]


def quiz_text(quiz: Quiz, lang: str) -> list[str]:
    """Return what a quiz is about and how to answer it, as paragraphs."""
    count = message("{n} questions.", n=len(quiz.questions))
    then = message(
        "Then: grader quiz {slug}, or fill in {file} and grader check {path}",
        slug=onward(quiz.slug),
        file=workspace.file_name(quiz),
        path=onward(workspace.file_name(quiz)),
    )
    return [wrapped(say(quiz.intro, lang).rstrip()), say(count, lang), say(then, lang)]


def wrapped(text: str) -> str:
    """Return `text` in lines that fit the terminal, or are as wide as prompts where there is none; shorter ones stay as they are."""
    room = min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)
    return "\n".join(row for one in text.splitlines() for row in (wrap(one, room) if cells(one) > room else [one]))


@click.command(help=told(message("Show the next hint for SLUG, or hint NUMBER.")))
@click.argument("slug")
@click.argument("number", type=click.IntRange(min=1), required=False)
@course_option
@lang_option
def hint(slug: str, number: int | None, course: Path | None, lang: str) -> None:
    loaded = open_course(course, lang)
    find_item(loaded, slug, lang)
    click.echo(next_hint(loaded, slug, workspace.find_workspace(Path()), lang, number))


def next_hint(loaded: Course, slug: str, root: Path | None, lang: str, number: int | None = None) -> str:
    """Return hint `number`, or the next one that the workspace does not remember, and remember it there."""
    item: Exercise | Quiz = loaded.exercises[slug] if slug in loaded.exercises else loaded.quizzes[slug]
    hints = item.hints if isinstance(item, Exercise) else tuple(h for q in item.questions for h in q.hints)
    if not hints:
        raise Stop(message("{slug} has no hints.", slug=slug), lang)
    if number and number > len(hints):
        raise Stop(
            message(
                "There is no hint {number}: the last one of {slug} is {n}.", number=number, slug=slug, n=len(hints)
            ),
            lang,
        )
    given = workspace.read_progress(root).hints.get(slug, 0) if root else 0
    chosen = number or min(given + 1, len(hints))
    if root:
        workspace.record_hint(root, slug, chosen)
    lines = [message("Hint {n} of {of}: {text}", n=chosen, of=len(hints), text=hints[chosen - 1])]
    if not number and given >= len(hints):
        lines.append(message("There are no more. Earlier ones: grader hint {slug} 1", slug=onward(slug)))
    elif not number and not root:
        text = message(
            "Nothing is remembered outside a workspace: grader hint {slug} 2 shows the next.", slug=onward(slug)
        )
        lines.append(text)
    return "\n".join(say(line, lang) for line in lines)


@click.command(help=told(message("Put the file of SLUG back to its starter; what you wrote is kept as a backup.")))
@click.argument("slug")
@course_option
@lang_option
def reset(slug: str, course: Path | None, lang: str) -> None:
    item = find_item(open_course(course, lang), slug, lang)
    root = workspace.find_workspace(Path())
    if root is None:
        raise Stop(message("This is not a workspace. `grader start DIR` makes one."), lang)
    if isinstance(item, Exercise):
        text = workspace.starter(item, lang)
    else:
        from grader.stages.draws import any_draw
        from grader.stages.sheet import answer_sheet

        text = answer_sheet(item, lang, draw=any_draw(item))
    name = workspace.file_name(item)
    try:
        backup = workspace.reset(root, name, text)
    except OSError as error:
        raise Stop(message("{name} cannot be put back: {why}.", name=name, why=error.strerror), lang) from error
    click.echo(say(message("{name} is the starter again.", name=name), lang))
    if backup:
        click.echo(say(message("What you had is kept in {backup}.", backup=backup.relative_to(root)), lang))
