"""A learner's answers to a quiz in, a Result out. (The sheet to write them on is made in `sheet.py`.)"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import fsum
from typing import Any

from grader.kinds import nearest
from grader.kinds.questions import Asked, Judgement, NotAnAnswer
from grader.kinds.questions.reading import shown
from grader.model import Message, Outcome, Question, Quiz, Response, Result, Sayable, Verdict, message
from grader.stages.draws import drawn
from grader.stages.sheet import blank, kind_of

JUDGED = (Verdict.PASSED, Verdict.FAILED, Verdict.SKIPPED)


def judge_quiz(quiz: Quiz, response: Response) -> Result:
    """Grade a sheet: one outcome a question. What waits for a person or a key leaves score and maximum.

    A sheet that could not be read is `errored`, with nothing but its problems.
    """
    quiz = drawn(quiz, response.draw)
    total = fsum(question.points for question in quiz.questions if judged_here(question))
    if response.problems:
        headline = message("The answer sheet cannot be read, so no answer was judged.")
        step = message(
            "Correct the lines above and check again; `grader quiz {slug}` writes a sheet for you.", slug=quiz.slug
        )
        return _result(quiz, response, Verdict.ERRORED, (0.0, total), (), headline, step, response.problems)
    asked = without_models(quiz).questions
    outcomes = tuple(judge_question(question, response.answers.get(question.id)) for question in asked)
    verdict = _verdict(outcomes, response)
    judged = [outcome for outcome in outcomes if outcome.verdict in JUDGED]
    score = (fsum(o.points for o in judged), fsum(o.max_points for o in judged))
    details = tuple(_strangers(quiz, response))
    return _result(quiz, response, verdict, score, outcomes, *_story(quiz, verdict, outcomes), details)


def without_models(quiz: Quiz) -> Quiz:
    """Return a graded quiz without what a person marks free answers by, which is their key; a practice quiz as it is."""
    return replace(quiz, questions=tuple(map(_kept_back, quiz.questions))) if quiz.graded else quiz


def _kept_back(question: Question) -> Question:
    spec = kind_of(question)
    return replace(question, spec=spec.without_key()) if spec.word == "text" else question


def judge_question(question: Question, raw: Any) -> Outcome:
    """Return what became of one question; `raw` is what the sheet says, None where it says nothing."""
    spec = kind_of(question)
    if blank(raw):
        return _unanswered(question, spec)
    try:
        judgement = spec.judge(spec.parse(raw))
    except NotAnAnswer as error:
        form = spec.form()
        what = message("not an answer ({why}); expected: {accepts}; for example {example}", why=error.why, accepts=form.accepts,
                       example=form.example)  # fmt: skip
        return _outcome(question, Verdict.FAILED, 0.0, what)
    if not judgement.judged:
        waiting = _outcome(question, Verdict.NOT_JUDGED, 0.0, joined(judgement.feedback))
        return replace(waiting, flags=judgement.flags)
    if judgement.right:
        said = [*judgement.feedback, *([question.explanation] if question.explanation else [])]
        return _outcome(question, Verdict.PASSED, question.points, joined(said))
    return _outcome(question, Verdict.FAILED, judgement.fraction * question.points, _told(question, judgement, raw))


def judged_here(question: Question) -> bool:
    """Whether the machine judges answers to a question here: not one in the learner's own words, nor one whose key is elsewhere."""
    spec = kind_of(question)
    return spec.has_key and spec.word != "text"


def _unanswered(question: Question, spec: Asked) -> Outcome:
    if not judged_here(question):
        return Outcome(question.id, spec.word, Verdict.SKIPPED, message=message("not answered"), prompt=question.prompt)
    said = message("not answered: 0 of {points} points", points=f"{question.points:g}")
    return _outcome(question, Verdict.SKIPPED, 0.0, said)


def _outcome(question: Question, verdict: Verdict, points: float, said: Sayable | None) -> Outcome:
    return Outcome(
        question.id,
        kind_of(question).word,
        verdict,
        points=points,
        max_points=question.points,
        message=said,
        prompt=question.prompt,
    )


def _told(question: Question, judgement: Judgement, raw: Any) -> Sayable:
    """A wrong answer is repeated, then answered with its own feedback; the first hint stands in where there is none."""
    feedback = joined(judgement.feedback or question.hints[:1])
    if feedback is None:
        return message("got {answer}", answer=shown(raw))
    return message("got {answer}: {feedback}", answer=shown(raw), feedback=feedback)


def joined(texts: tuple[Sayable, ...] | list[Sayable]) -> Sayable | None:
    """Return several texts as one, None for none."""
    if not texts:
        return None
    whole: Sayable = texts[0]
    for text in texts[1:]:
        whole = message("{first} {second}", first=whole, second=text)
    return whole


def _verdict(outcomes: tuple[Outcome, ...], response: Response) -> Verdict:
    if all(blank(raw) for raw in response.answers.values()):
        return Verdict.NOT_SUBMITTED
    counted = [outcome for outcome in outcomes if outcome.verdict in JUDGED and outcome.max_points > 0]
    if not counted:
        return Verdict.NOT_JUDGED
    return Verdict.PASSED if all(outcome.verdict is Verdict.PASSED for outcome in counted) else Verdict.FAILED


def _story(quiz: Quiz, verdict: Verdict, outcomes: tuple[Outcome, ...]) -> tuple[Message, Message | None]:
    """Return the sentence that matters and the next step."""
    right = sum(outcome.verdict is Verdict.PASSED for outcome in outcomes)
    waiting = sum(outcome.verdict is Verdict.NOT_JUDGED for outcome in outcomes)
    counted = [outcome for outcome in outcomes if outcome.verdict in JUDGED and outcome.max_points > 0]
    if verdict is Verdict.NOT_SUBMITTED:
        step = message(
            "Write answers into {file}, or let `grader quiz {slug}` ask you.", file=f"{quiz.slug}.yaml", slug=quiz.slug
        )
        return message("No question is answered yet."), step
    if verdict is Verdict.NOT_JUDGED:
        return message("Nothing here is judged by the machine; answers that wait: {waiting}.", waiting=waiting), None
    headline = message("{right} of {all} answers that the machine judges are right.", right=right, all=len(counted))
    if verdict is Verdict.PASSED:
        headline = message("All {all} answers that the machine judges are right.", all=len(counted))
    if waiting:
        headline = message("{headline} For a person to read: {waiting}.", headline=headline, waiting=waiting)
    return headline, _next_step(quiz, counted)


def _next_step(quiz: Quiz, counted: list[Outcome]) -> Message | None:
    """Point to the first wrong answer, with its hint rather than the exercise that practises it; else to the first open question."""
    wrong = next((outcome for outcome in counted if outcome.verdict is Verdict.FAILED), None)
    found = wrong or next((outcome for outcome in counted if outcome.verdict is Verdict.SKIPPED), None)
    if found is None:
        return None
    question = next(question for question in quiz.questions if question.id == found.case)
    if not wrong:
        if question.practises:
            return message(
                "Still open: {id}; the exercise {slug} practises it.", id=question.id, slug=question.practises
            )
        return message("Still open: {id}. Answer it, then check again.", id=question.id)
    if question.hints:
        return message("Look again at {id}. A hint: {hint}", id=question.id, hint=question.hints[0])
    if question.practises:
        return message("Look again at {id}; the exercise {slug} practises it.", id=question.id, slug=question.practises)
    return message("Look again at {id}, then check again.", id=question.id)


def _strangers(quiz: Quiz, response: Response) -> Iterator[Message]:
    """Say which answers belong to no question of the quiz."""
    known = [question.id for question in quiz.questions]
    for name in response.answers:
        if name in known:
            continue
        if near := nearest(str(name), known):
            yield message(
                "{path}: the quiz has no question {got}; did you mean {near}?",
                path=response.path,
                got=shown(name),
                near=near,
            )
        else:
            yield message("{path}: the quiz has no question {got}", path=response.path, got=shown(name))


def _result(
    quiz: Quiz,
    response: Response,
    verdict: Verdict,
    score: tuple[float, float],
    outcomes: tuple[Outcome, ...],
    headline: Message,
    next_step: Message | None,
    details: tuple[Message, ...],
) -> Result:
    return Result(
        kind="quiz",
        slug=quiz.slug,
        title=quiz.title,
        verdict=verdict,
        score=score[0],
        max_score=score[1],
        outcomes=outcomes,
        headline=headline,
        next_step=next_step,
        details=details,
        path=response.path,
    )
