"""The course in, pages out: each known mistake with what it looks like, and what a learner who makes it is told.

Nothing here is written by hand: the reference is run with the mistake in it, and judged as any submission is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

from grader.author.direct import Direct
from grader.author.verify import judged_here
from grader.course.lazily import mistakes_lazily, open_course_lazily
from grader.grade import Settings, grade_exercise, prepare
from grader.kinds.reports.html import inline
from grader.kinds.reports.parts import ReportView, ResultView
from grader.kinds.reports.templates import template
from grader.kinds.reports.view import report_view
from grader.locale import say
from grader.model import Course, Exercise, Isolation, Mistake, Submission
from grader.stages.compute import Reference
from grader.stages.expect import load_reference
from grader.stages.report import build_report

ROOT = Path(__file__).resolve().parents[2]


def pages(only: frozenset[str] | None = None, cache: Path | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield path, title and Markdown of each page, one for each module of the course; with `only`, of these exercises alone."""
    course = open_course_lazily(ROOT)
    mistakes, reference = mistakes_lazily(ROOT), load_reference(ROOT)
    told: set[str] = set()
    for number, module in enumerate(course.modules, 1):
        title = say(module.title, "en")
        slugs = [slug for slug in module.exercises if only is None or slug in only]
        parts = [part for slug in slugs for part in _exercise(course, slug, reference, mistakes, told, cache)]
        if parts:
            yield f"gallery/{number:02d}.md", title, "\n\n".join([f"# Mistakes: {title}", *parts]) + "\n"


def _exercise(
    course: Course,
    slug: str,
    reference: Reference,
    mistakes: Mapping[str, Mistake],
    told: set[str],
    cache: Path | None,
) -> Iterator[str]:
    """Yield the heading of an exercise and each mistake that no page has told of before."""
    exercise = judged_here(course.exercises[slug])
    new = [m for group in exercise.catches for m in group if m not in told and reference.mistakes.get(m)]
    if not new:
        return
    told.update(new)
    yield f"## {say(exercise.title, 'en')}"
    settings = Settings(Path(course.root), mistakes, cache=cache)
    prepared = prepare(exercise, settings)
    for mistake in new:
        steps = replace(reference.steps, **reference.mistakes[mistake])
        wrong = Direct(partial(reference.functions[exercise.reference], steps=steps))
        result = grade_exercise(exercise, Submission("", slug), settings, wrong, prepared)
        view = report_view(build_report([result], Isolation("none"), "cpu", 0), "en")
        yield _mistake(exercise, mistakes[mistake], view)


def _mistake(exercise: Exercise, mistake: Mistake, view: ReportView) -> str:
    """Return one mistake: its name, what is said, the numbers, and the question that leads on."""
    (result,) = view.results
    said = "".join(f"<li>{inline(text)}</li>" for text in result.details)
    asks = f'<p class="asks">→ {inline(result.next_step)}</p>' if result.next_step else ""
    return "\n".join(
        [
            f"### `{mistake.id}` ({', '.join(mistake.codes)}) {{#{exercise.slug}-{mistake.id}}}",
            "",
            f'<div class="mistake"><p class="says">{inline(result.headline)}</p><ul>{said}</ul>',
            _picture(result, view),
            f"{asks}</div>",
        ]
    )


def _picture(result: ResultView, view: ReportView) -> str:
    """Return the numbers of the case that is told of as two heat maps, on one line of HTML; "" where there are none."""
    case = result.told
    if case is None or not case.panels:
        return ""
    module = template("panel.html").make_module({"w": view.words, "report": view})
    figure = str(module.figure(escape(case.name), case.panels[0]))  # type: ignore[attr-defined]
    return "".join(line.strip() for line in figure.splitlines())
