"""A plan and a submission to observations: how often a run is made, and whose fault it is when one breaks."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from grader.model import Isolation, Limits, Message, Observations, Plan, Submission, Verdict, message
from grader.stages.sandbox.control import control_submission
from grader.stages.sandbox.modules import allowed_tops, may_be_asked_for, needed_preload
from grader.stages.sandbox.observe import NOT_READY, RESULT_BYTES, Broken, Needs, observe
from grader.stages.sandbox.request import Request, Work, make_request, work_of
from grader.stages.sandbox.start import Conclude, Reader, T, Trouble
from grader.stages.sandbox.watch import Heard

ASKS = 4
"""How often a run may be started over because it needs another module."""

MOST_PLANS = 64

ATTEMPTS = 3
"""How often a run that breaks is made again before it is our fault."""


class Runner(Protocol):
    """What runs requests: a warm process that forks, or a fresh process a run."""

    def wait(self) -> None: ...

    def run(self, request: Request, limits: Limits, result_bytes: int, conclude: Conclude[T]) -> T: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


class Sandbox:
    """Runs submissions, one at a time. A context manager; `isolation` says what holds the learner's code."""

    def __init__(
        self, isolation: Isolation, start: Callable[[], Runner], first: Runner, preload: Sequence[str], files: bool
    ):
        self.isolation = isolation
        self._start, self._runner, self._preload, self._files = start, first, tuple(preload), files
        self._allowed = allowed_tops(self._preload)
        self._cancelled = False
        self._works: dict[int, tuple[Plan, Work]] = {}

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process of this sandbox."""
        self._runner.close()

    def ready(self) -> None:
        """Wait until the process has imported what it imports once; what goes wrong with that is told by `run`."""
        with contextlib.suppress(Trouble):
            self._runner.wait()

    def cancel(self) -> None:
        """End the run that is under way (in another thread): it returns soon, and what it returns means nothing."""
        self._cancelled = True
        self._runner.cancel()

    def run(self, plan: Plan, submission: Submission) -> Observations:
        """Return what `submission` did with the calls of `plan`, within the limits of its exercise. Never raises for a learner's sake."""
        self._cancelled = False
        why, observations = self._whole(plan, submission)
        if why == "wall" and not self._cancelled:  # a machine that was busy, or a program that sleeps: once more, alone
            why, observations = self._whole(plan, submission)
        return observations

    def _whole(self, plan: Plan, submission: Submission) -> tuple[str, Observations]:
        """Run, again with another module imported when one was missing; return what ended it, and what it did."""
        modules = needed_preload([submission.source], self._preload)
        limits = plan.exercise.limits
        end = time.monotonic() + limits.import_seconds + limits.total_seconds  # nobody buys wall time by asking again
        for left in reversed(range(ASKS)):
            may_ask = bool(left) and not self._files and time.monotonic() < end
            why, outcome = self._surely(plan, submission, modules, may_ask)
            if isinstance(outcome, Observations):
                return why, outcome
            if may_be_asked_for(outcome.module, self._preload):
                modules = [*modules, outcome.module]
            else:
                break
        why, outcome = self._surely(plan, submission, modules, may_ask=False)
        assert isinstance(outcome, Observations)  # `observe` hears no wish of a child that may not ask
        return why, outcome

    def _surely(
        self, plan: Plan, submission: Submission, modules: Sequence[str], may_ask: bool
    ) -> tuple[str, Observations | Needs]:
        """Run, again where the run breaks.

        A fault counts as ours only when a harmless file breaks in the same way: what a child says of itself, its submission may have
        made it say, and nobody is to turn a zero into `grader_error`.
        """
        reason = ""
        for attempt in range(ATTEMPTS):
            why, outcome = self._once(plan, submission, modules, may_ask)
            if not isinstance(outcome, Broken):
                return why, outcome
            if attempt and not self._cancelled:
                reason = self._control(plan)
            if (attempt and not reason) or self._cancelled:
                return "", outcome.blamed
            if attempt:
                self._restart()
        detail = message("The grader's sandbox failed: {reason}", reason=reason)
        return "", Observations(Verdict.GRADER_ERROR, {}, self.isolation, detail=detail)

    def _once(
        self, plan: Plan, submission: Submission, modules: Sequence[str], may_ask: bool
    ) -> tuple[str, Observations | Needs | Broken]:
        request = make_request(
            self._work(plan), submission, allowed=self._allowed, modules=modules, files=self._files, may_ask=may_ask
        )
        conclude = functools.partial(_conclude, request, self.isolation)
        try:
            return self._runner.run(request, plan.exercise.limits, RESULT_BYTES, conclude)
        except Trouble as trouble:
            self._restart()
            return "", Broken(str(trouble), Observations(Verdict.CRASHED, {}, self.isolation, detail=_TOOK_IT_ALONG))

    def _work(self, plan: Plan) -> Work:
        """What the plan sends, made once. The plan is held beside it, so that its id stays taken."""
        found = self._works.get(id(plan))
        if found is None:
            if len(self._works) >= MOST_PLANS:
                self._works.clear()
            found = self._works[id(plan)] = (plan, work_of(plan))
        return found[1]

    def _control(self, plan: Plan) -> str:
        """Run a harmless file against the same plan; return "" when all is well, else what of ours failed."""
        _, outcome = self._once(plan, control_submission(plan), (), may_ask=False)
        return outcome.reason if isinstance(outcome, Broken) else ""

    def _restart(self) -> None:
        self._runner.close()
        self._runner = self._start()


def _conclude(
    request: Request, isolation: Isolation, heard: Heard, status: int, read: Reader
) -> tuple[str, Observations | Needs | Broken]:
    if not heard.frames and heard.why != "protocol":  # none of the learner's code has run
        blamed = Observations(Verdict.CRASHED, {}, isolation, detail=NOT_READY)
        return "", Broken(f"a child could not be set up (status {status})", blamed)
    return heard.why, observe(heard, status, read, request=request, isolation=isolation)


_TOOK_IT_ALONG: Message = message("The process that runs programs ended whenever this program ran in it.")
