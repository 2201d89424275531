"""Judged facts of one exercise in, a story out: the sentence that matters, what supports it, and the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.kinds.checks import CHECKS, CheckKind, Rung
from grader.kinds.reports.cases import against, by_case, counts
from grader.model import (
    NUMPY,
    Diagnosis,
    Exercise,
    Message,
    Observation,
    Observations,
    Outcome,
    Sayable,
    Verdict,
    message,
)
from grader.stages.compare import BESIDE
from grader.stages.faults import Story, fault_story, hidden_fault, in_case, stop_story
from grader.stages.plan import call_id

STOPS = (Verdict.ERRORED, Verdict.TIMED_OUT, Verdict.OUT_OF_MEMORY, Verdict.CRASHED)


STEPS = {
    "shape": message("Write the shape beside each line of your code: the names of the axes show where they part."),
    "dtype": message(
        "Make new tensors with the dtype of the inputs, such as with `torch.zeros_like` or `x.new_zeros`."
    ),
    "finite": message(
        "Look for a division by zero, a root or logarithm of a negative number, and a row in which everything is -inf."
    ),
    "rows_sum_to_one": message("Print the sums of the rows of your weights right after softmax, and again at the end."),
    "no_future_leak": message("Change the last position of the inputs alone, and print which results move."),
    "batch_independence": message("Look for a sum, a mean or a softmax over the axis of the samples."),
    "inputs_unchanged": message(
        "Replace what writes in place, such as `x /= …` or `x[…] = …`, by what makes a new tensor."
    ),
    "gradients": message(
        "Look for `detach`, `no_grad`, `.item()`, `.data` or numpy on the way from the inputs to the result."
    ),
}
"""What to do about a failed check where no mistake has a name; a hint for the others."""

NUMPY_STEPS = {
    **STEPS,
    "dtype": message(
        "Make new arrays with the dtype of the inputs, such as with `np.zeros_like`: numpy's own choice is float64."
    ),
    "inputs_unchanged": message(
        "Replace what writes in place, such as `x /= …`, `x[…] = …` or `x.sort()`, by what makes a new array."
    ),
}
"""The same where arrays are numpy's."""


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
    cases = by_case(outcomes)
    wrong = [o for o in cases if against(o)]
    if not wrong:
        return _nothing_wrong(exercise, cases)
    first = told(exercise, cases)
    story = _hidden_only(observations, wrong[0]) if first is None else _open_case(exercise, observations, first)
    return _diagnosed(diagnoses[0], story) if diagnoses else story


def told(exercise: Exercise, outcomes: tuple[Outcome, ...]) -> Outcome | None:
    """Return the open case to tell of: the lowest rung matters most, wrong values before gradients that do not flow."""
    own = {check.word: check.rung for check in exercise.checks if isinstance(check, CheckKind)}
    rungs = {**{word: kind.rung for word, kind in CHECKS.items()}, **own}
    open_ones = [outcome for outcome in by_case(outcomes) if against(outcome) and not outcome.hidden]
    return min(open_ones, key=lambda outcome: _rung(outcome, rungs), default=None)


def _rung(outcome: Outcome, rungs: Mapping[str, Rung]) -> int:
    """The place of an outcome in the ladder; what stopped the code comes first, what was not reached or not wrong last."""
    if outcome.message == BESIDE:
        return len(Rung)
    if outcome.verdict in (*STOPS, Verdict.SKIPPED):
        return len(Rung) if outcome.verdict is Verdict.SKIPPED else -1
    return int(rungs.get(outcome.check, 0))


def _not_loaded(exercise: Exercise, observations: Observations) -> Story:
    if observations.fault is not None:
        return fault_story(exercise, observations.fault, None)
    return stop_story(exercise, observations.verdict, observations.detail, None)


def _nothing_wrong(exercise: Exercise, outcomes: tuple[Outcome, ...]) -> Story:
    (seen, visible), (held, hidden) = counts(outcomes, hidden=False), counts(outcomes, hidden=True)
    if not seen + held:
        return Story(message("Nothing here could be judged by the machine."))
    if exercise.elsewhere:
        told = message("Right so far: every visible case passes ({visible}); hidden ones that are judged elsewhere: {n}.",
                       visible=visible, n=len(exercise.elsewhere))  # fmt: skip
        return Story(told)
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
    steps = NUMPY_STEPS if exercise.arrays == NUMPY else STEPS
    next_step = steps.get(first.check, hint) if first.verdict is Verdict.FAILED else hint
    what = first.message or message("it does not pass the check `{check}`.", check=first.check)
    source = seen.fault.lines if seen is not None and seen.fault is not None else ()
    return Story(in_case(exercise, first.case, what), (), next_step, source)


def _together(texts: tuple[Sayable, ...]) -> Sayable:
    """Return several sentences as one text."""
    whole = texts[0]
    for text in texts[1:]:
        whole = message("{first} {second}", first=whole, second=text)
    return whole


def _hidden_only(observations: Observations | None, first: Outcome) -> Story:
    headline = message(
        "Every visible case passes, but a hidden one does not: the function is not right for all inputs yet."
    )
    next_step = message("Try sizes, masks and optional arguments of your own that the visible cases do not have.")
    seen = graded(observations, first.case)
    details = (hidden_fault(seen.fault),) if seen is not None and seen.fault is not None else ()
    return Story(headline, details, next_step)


def _diagnosed(found: Diagnosis, story: Story) -> Story:
    """Lead with the named mistake; its evidence and what was seen become details."""
    others = tuple(message("Or, what gives the same here: {says}", says=says) for says in found.says[1:])
    headline: Sayable = found.says[0]
    if not found.same and others:
        headline, others = message("Several mistakes at once: {says}", says=_together(found.says)), ()
    next_step = found.asks[0] if found.asks else story.next_step
    evidence = () if found.by == "check" else (_evidence(found),)  # what the check found stands there by itself
    details = (*others, *evidence, story.headline, *story.details)
    return replace(story, headline=headline, details=details, next_step=next_step)


def _evidence(found: Diagnosis) -> Message:
    if found.by == "error":
        return message("This is what that mistake leads to.")
    if found.of_calls == 1:
        return message("Your code gives exactly what this mistake gives.")
    if found.matched_calls == found.of_calls:
        return message("In all {total} cases your code gives exactly what this mistake gives.", total=found.of_calls)
    return message(
        "In {matched} of {total} cases your code gives exactly what this mistake gives.",
        matched=found.matched_calls,
        total=found.of_calls,
    )
