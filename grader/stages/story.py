"""Judged facts of one exercise in, a story out: the sentence that matters, what supports it, and the next step."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from grader.kinds.reports.cases import against, by_case, counts
from grader.model import Diagnosis, Exercise, Message, Observation, Observations, Outcome, Verdict, message
from grader.stages.faults import Story, fault_story, hidden_fault, in_case, stop_story
from grader.stages.plan import call_id

STOPS = (Verdict.ERRORED, Verdict.TIMED_OUT, Verdict.OUT_OF_MEMORY, Verdict.CRASHED)


def graded(observations: Observations | None, case: str) -> Observation | None:
    """The graded call of a case, if it was reached."""
    return observations.calls.get(call_id(case, "graded")) if observations is not None else None


def tell(
    exercise: Exercise,
    observations: Observations | None,
    outcomes: tuple[Outcome, ...],
    diagnoses: tuple[Diagnosis, ...],
) -> Story:
    """Tell what matters most: what stopped the file, else a named mistake, else the first open case, else a hidden one."""
    if observations is not None and observations.verdict is not Verdict.PASSED:
        return _not_loaded(exercise, observations)
    wrong = [o for o in by_case(outcomes) if against(o)]
    if not wrong:
        return _nothing_wrong(outcomes)
    first = next((o for o in wrong if not o.hidden), None)
    story = _hidden_only(observations, wrong[0]) if first is None else _open_case(exercise, observations, first)
    if diagnoses:
        story = _diagnosed(diagnoses, story)
    return replace(story, details=(*story.details, _tally(outcomes)))


def _not_loaded(exercise: Exercise, observations: Observations) -> Story:
    if observations.fault is not None:
        return fault_story(exercise, observations.fault, None)
    return stop_story(exercise, observations.verdict, observations.detail, None)


def _nothing_wrong(outcomes: tuple[Outcome, ...]) -> Story:
    (seen, visible), (held, hidden) = counts(outcomes, hidden=False), counts(outcomes, hidden=True)
    if not seen + held:
        return Story(message("Nothing here could be judged by the machine."))
    if hidden:
        return Story(
            message("Correct: every case passes ({visible} visible, {hidden} hidden).", visible=visible, hidden=hidden)
        )
    return Story(message("Correct: every case passes ({visible}).", visible=visible))


def _open_case(exercise: Exercise, observations: Observations | None, first: Outcome) -> Story:
    """Tell what is wrong with the first open case that fails."""
    seen = graded(observations, first.case)
    asked_to_raise = any(case.raises for case in exercise.cases if case.name == first.case)
    if observations is not None and seen is not None and first.verdict in STOPS and not asked_to_raise:
        if seen.fault is not None:
            return fault_story(exercise, seen.fault, first.case)
        return stop_story(exercise, first.verdict, observations.detail, first.case)
    hint = message("Ask for a hint with `grader hint {slug}`.", slug=exercise.slug) if exercise.hints else None
    what = first.message or message("it does not pass the check `{check}`.", check=first.check)
    source = seen.fault.lines if seen is not None and seen.fault is not None else ()
    return Story(in_case(first.case, what), (), hint, source)


def _hidden_only(observations: Observations | None, first: Outcome) -> Story:
    headline = message(
        "Every visible case passes, but a hidden one does not: the function is not right for all inputs yet."
    )
    next_step = message("Try sizes, masks and optional arguments of your own that the visible cases do not have.")
    seen = graded(observations, first.case)
    details = (hidden_fault(seen.fault),) if seen is not None and seen.fault is not None else ()
    return Story(headline, details, next_step)


def _diagnosed(diagnoses: tuple[Diagnosis, ...], story: Story) -> Story:
    """Lead with the named mistake; what was seen becomes a detail."""
    first = diagnoses[0]
    evidence = message(
        "In {matched} of {total} calls your code gives exactly what this mistake gives.",
        matched=first.matched_calls,
        total=first.of_calls,
    )
    next_step = first.asks[0] if first.asks else story.next_step
    return replace(
        story, headline=_named(first), details=(evidence, story.headline, *story.details), next_step=next_step
    )


def _named(diagnosis: Diagnosis) -> Message:
    says = reduce(lambda one, other: message("{one} / {other}", one=one, other=other), diagnosis.says)
    if len(diagnosis.says) == 1:
        return message("This looks like a known mistake: {says}", says=says)
    if diagnosis.same:
        return message(
            "This looks like a known mistake, one of these, which are the same function here: {says}", says=says
        )
    return message("This looks like several mistakes at once: {says}", says=says)


def _tally(outcomes: tuple[Outcome, ...]) -> Message:
    (seen, visible), (held, hidden) = counts(outcomes, hidden=False), counts(outcomes, hidden=True)
    if not hidden:
        return message("{seen} of {visible} cases pass.", seen=seen, visible=visible)
    return message(
        "{seen} of {visible} visible cases pass, and {held} of {hidden} hidden ones.",
        seen=seen,
        visible=visible,
        held=held,
        hidden=hidden,
    )
