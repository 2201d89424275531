"""A quiz and the answers so far in, the answer sheet out: YAML in which every question stands as a comment over its answer."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, cast

from grader.kinds.formula.readable import readable
from grader.kinds.questions import Asked, Form
from grader.kinds.reports.terminal import wrap
from grader.locale import say
from grader.model import Question, Quiz, message
from grader.stages.draws import drawn, varies
from grader.stages.paragraphs import is_code, paragraphs

WIDTH = 96


def kind_of(question: Question) -> Asked:
    """Return the question kind with its fields: the spec stage puts nothing else into a quiz."""
    return cast("Asked", question.spec)


def blank(raw: Any) -> bool:
    """Whether a raw answer is none at all: empty, or a list or mapping of nothing but empty ones."""
    if isinstance(raw, str):
        return not raw.strip()
    if isinstance(raw, Mapping):
        return all(blank(part) for part in raw.values())
    return raw is None or (isinstance(raw, (list, tuple)) and all(blank(part) for part in raw))


def answer_sheet(
    quiz: Quiz,
    lang: str,
    answers: Mapping[str, Any] | None = None,
    *,
    draw: int = 0,
    tries: Mapping[str, int] | None = None,
) -> str:
    """Return the sheet of a quiz in `lang`, with `answers` (question id -> raw answer) filled in and the rest left blank.

    Questions that vary have the numbers of `draw`, which the sheet remembers, as it does the `tries` that were used up.
    Answers to no question of the quiz are kept at the end: they may be a slip of the pen.
    """
    given, quiz = answers or {}, drawn(quiz, draw)
    lines = [*_comment(say(quiz.title, lang)), *_comment(say(quiz.intro, lang)), "#"]
    lines += _comment(say(message("Write each answer behind its colon; what stays empty is not answered."), lang))
    lines += _comment(say(message("Then: grader check {file}", file=f"{quiz.slug}.yaml"), lang))
    lines += ["", f"quiz: {quiz.slug}"]
    if varies(quiz):
        lines += _comment(say(message("The numbers of this sheet; leave the line as it is."), lang))
        lines.append(f"draw: {draw}")
    if tries:
        lines.append(f"tries: {json.dumps(dict(tries))}")
    lines += ["", "answers:"]
    for number, question in enumerate(quiz.questions, 1):
        lines += ["", *(f"  {line}" for line in _question(question, number, lang))]
        lines.append(f"  {question.id}:{written(given.get(question.id))}")
    known = {question.id for question in quiz.questions}
    lines += [f"  {json.dumps(name)}:{written(raw)}" for name, raw in given.items() if name not in known]
    return "\n".join(lines) + "\n"


def _question(question: Question, number: int, lang: str) -> Iterator[str]:
    points = say(message("points: {n}", n=f"{question.points:g}"), lang)
    yield from _comment(f"{number}. {question.id} ({points})")
    yield from _comment(say(question.prompt, lang))
    yield from form_lines(kind_of(question).form(), lang, "#   ")


def form_lines(form: Form, lang: str, indent: str, width: int = WIDTH) -> Iterator[str]:
    """Yield what there is to look at and to choose from, and how an answer is written."""
    for line in say(form.listing, lang).split("\n") if form.listing else ():
        yield f"{indent}{line}".rstrip()
    for options in form.options:
        if options.heading:
            yield f"{indent}{say(options.heading, lang)}"
        for name, text in options.items:
            yield from wrap(readable(say(text, lang)), width, f"{indent}{name}) ", f"{indent}   ")
    yield from wrap(say(message("Answer: {accepts}.", accepts=form.accepts), lang), width, indent, indent)
    yield f"{indent}{say(message('Example: {example}', example=form.example), lang)}"


def _comment(text: str) -> Iterator[str]:
    """Yield a text as comment lines."""
    for paragraph in paragraphs(text):
        rows = (
            [f"# {row}" for row in paragraph.split("\n")] if is_code(paragraph) else wrap(paragraph, WIDTH, "# ", "# ")
        )
        yield from (row.rstrip() for row in rows)


def written(raw: Any) -> str:
    """Return a raw answer as YAML behind a colon, nothing for none: JSON, which is YAML too.

    Control characters are dropped, since no sheet may hold them; others that cannot be seen are escaped.
    """
    if blank(raw):
        return ""
    text = json.dumps(_speakable(raw), ensure_ascii=False)
    return " " + "".join(c if c.isprintable() else c.encode("unicode-escape").decode() for c in text)


def _speakable(raw: Any) -> Any:
    """Return plain data without control characters, line breaks and tabs apart."""
    if isinstance(raw, str):
        return "".join(c for c in raw if c in "\n\t" or unicodedata.category(c) != "Cc")
    if isinstance(raw, Mapping):
        return {name: _speakable(part) for name, part in raw.items()}
    return [_speakable(part) for part in raw] if isinstance(raw, (list, tuple)) else raw
