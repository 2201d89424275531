"""An exercise or a quiz in, one page out: all that a learner will see of it, as the real judge and the real reports say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from grader.author.direct import Direct
from grader.author.preview_words import WORDS
from grader.author.verify import judged_here
from grader.course.workspace import starter
from grader.grade import Prepared, Settings, grade_exercise, prepare
from grader.kinds.questions import NotAnAnswer
from grader.kinds.questions.reading import shown
from grader.kinds.reports.escape import line, lines
from grader.kinds.reports.html import inline
from grader.kinds.reports.parts import ResultView
from grader.kinds.reports.prose import prose
from grader.kinds.reports.templates import template
from grader.kinds.reports.view import report_view
from grader.locale import say
from grader.model import (
    LANGUAGES,
    Course,
    Exercise,
    Isolation,
    Mistake,
    Question,
    Quiz,
    Result,
    Sayable,
    Submission,
    Verdict,
)
from grader.stages.answers import judge_question
from grader.stages.compute import Reference
from grader.stages.report import build_report, next_in_course, not_started
from grader.stages.sheet import kind_of

Both = tuple[str, ...]
"""One text in each language, in the order of LANGUAGES."""


@dataclass(frozen=True)
class Shown:
    """One report: what was handed in, what is known of it in each language, and the result. `open`: shown unfolded."""

    label: str
    codes: str
    says: Both
    result: ResultView
    open: bool = False


@dataclass(frozen=True)
class Answer:
    """One answer to a question: as written, what it earns, and what is said in each language."""

    written: str
    points: str
    verdict: str
    said: Both


@dataclass(frozen=True)
class Asked:
    """A question as it is asked, its hints, and what is said to each answer."""

    id: str
    kind: str
    points: str
    prompt: Both
    listing: Both
    options: tuple[tuple[str, tuple[tuple[str, Both], ...]], ...]
    accepts: Both
    example: str
    hints: tuple[Both, ...]
    answers: tuple[Answer, ...]
    practises: str
    draws: int


def preview_exercise(
    course: Course,
    exercise: Exercise,
    reference: Reference,
    mistakes: Mapping[str, Mistake],
    lang: str,
    cache: Path | None = None,
) -> str:
    """Return the page of an exercise; raise GraderError where its reference fails."""
    judged = judged_here(exercise)
    settings = Settings(Path(course.root), mistakes, cache=cache)
    prepared = prepare(judged, settings)
    entries = list(_entries(course, judged, reference, mistakes, settings, prepared))
    report = report_view(build_report([result for *_, result in entries], Isolation("none"), "cpu", 0), lang)
    entered = [
        Shown(label, codes, says, view, open=place == 0)
        for place, ((label, codes, says, _), view) in enumerate(zip(entries, report.results, strict=True))
    ]
    known = [check.word for check in exercise.checks if check not in judged.checks]
    left = [m for group in exercise.catches for m in group if reference.mistakes.get(m) == {}]
    return _page(
        "preview_exercise.html",
        lang,
        item=exercise,
        title=both(exercise.title),
        prompt=_layed_out(exercise.prompt),
        starters=tuple(starter(exercise, language) for language in LANGUAGES),
        hints=tuple(both(hint) for hint in exercise.hints),
        cases=tuple((tuple(dict.fromkeys(both(case.shown))), case.hidden) for case in exercise.cases),
        shown=entered,
        left=", ".join([*known, *left]),
        report=report,
    )


def _entries(
    course: Course,
    exercise: Exercise,
    reference: Reference,
    mistakes: Mapping[str, Mistake],
    settings: Settings,
    prepared: Prepared,
) -> Iterator[tuple[str, str, Both, Result]]:
    """Yield label, codes, what the mistake says, and the result: of the right answer, the starter, and each mistake."""
    function = reference.functions[exercise.reference]
    file = Submission(f"{exercise.slug}.py", exercise.slug)

    def graded(answer: Callable[..., Any]) -> Result:
        result = grade_exercise(exercise, file, settings, Direct(answer), prepared)
        return _light(result)

    right = graded(function)
    if right.verdict is Verdict.PASSED:
        right = replace(right, next_step=next_in_course(course, exercise.slug))
    yield "right", "", both(WORDS["right"]), right
    yield "starter", "", both(WORDS["starter"]), _light(not_started(exercise, file))
    for name in (name for group in exercise.catches for name in group):
        replaced = reference.mistakes.get(name)
        if not replaced:
            continue  # without a step, or unknown: `verify` says so
        steps = replace(reference.steps, **replaced)
        known = mistakes.get(name)
        codes = ", ".join(known.codes) if known else ""
        yield name, codes, both(known.says) if known else ("", ""), graded(partial(function, steps=steps))


def _light(result: Result) -> Result:
    """Return a result without what the page shows once for all: prompt, hints, pictures of cases beside the one told of."""
    first = next((outcome for outcome in result.outcomes if outcome.panels), None)
    outcomes = tuple(o if o is first else replace(o, panels=()) for o in result.outcomes)
    return replace(result, prompt=None, hints=(), outcomes=outcomes)


def preview_quiz(quiz: Quiz, lang: str) -> str:
    """Return the page of a quiz: its questions, and what is said to right and wrong answers."""
    return _page(
        "preview_quiz.html",
        lang,
        item=quiz,
        title=both(quiz.title),
        intro=_layed_out(quiz.intro),
        questions=tuple(_asked(question) for question in quiz.questions),
    )


def _asked(question: Question) -> Asked:
    spec = kind_of(question)
    form = spec.form()
    samples = spec.samples() if spec.has_key else None
    tried = [*(samples.right[:1] if samples else ()), *(samples.wrong if samples else ())]
    malformed = [raw for raw in (samples.malformed if samples else ()) if raw not in ("", None, [])][:1]
    return Asked(
        id=question.id,
        kind=spec.word,
        points=f"{question.points:g}",
        prompt=_layed_out(question.prompt),
        listing=_layed_out(form.listing) if form.listing else (),
        options=tuple(
            (say(part.heading, "en") if part.heading else "", tuple((name, both(text)) for name, text in part.items))
            for part in form.options
        ),
        accepts=both(form.accepts),
        example=form.example,
        hints=tuple(both(hint) for hint in question.hints),
        answers=tuple(_answer(question, raw) for raw in [*tried, *malformed]),
        practises=question.practises or "",
        draws=len(question.draws),
    )


def _answer(question: Question, raw: Any) -> Answer:
    try:
        kind_of(question).parse(raw)
    except NotAnAnswer:
        word = "malformed"
    else:
        word = ""
    outcome = judge_question(question, raw)
    return Answer(
        written=line(shown(raw)),
        points=f"{outcome.points:.3g}/{outcome.max_points:g}",
        verdict=word or outcome.verdict.value,
        said=both(outcome.message) if outcome.message else ("", ""),
    )


def both(text: Sayable | str) -> Both:
    """Return a text in each language, each as one harmless line."""
    return tuple(line(" ".join(say(text, language).split()), 4000) for language in LANGUAGES)


def _layed_out(text: Sayable) -> Both:
    return tuple("\n".join(lines(say(text, language).strip("\n"))) for language in LANGUAGES)


def _page(name: str, lang: str, **fields: Any) -> str:
    words = {word: say(told, lang) for word, told in WORDS.items()}
    page = template(name, inline=inline, prose=prose).render(lang=lang, words=words, languages=LANGUAGES, **fields)
    return page.rstrip("\n") + "\n"


def file_name(slug: str) -> str:
    """Return the name of the file that a page lies in unless another is named."""
    return f"{slug}.preview.html"
