"""Runs a learner's file against a plan, in a process that cannot reach the answers, and returns what it did: Observations.

The judge never runs, parses or unpickles anything of the learner's. It sends inputs, reads back tensors and small JSON frames as untrusted
bytes, owns the clock and the kill, and believes nothing but values. `docs/security.md` says what each level stops.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grader.model import (
    Isolation,
    IsolationUnavailable,
    Limits,
    Message,
    Observations,
    Plan,
    Submission,
    Verdict,
    message,
)
from grader.stages.sandbox.modules import READY, allowed_tops, may_be_asked_for, needed_preload
from grader.stages.sandbox.observe import RESULT_BYTES, Needs, observe
from grader.stages.sandbox.request import Request, make_request
from grader.stages.sandbox.spawned import Spawned
from grader.stages.sandbox.start import Conclude, Reader, T, Trouble, import_paths
from grader.stages.sandbox.watch import Heard

__all__ = ["Fact", "Sandbox", "isolation_facts", "needed_preload", "open_sandbox"]

LEVELS = ("strict", "best", "none")
LAYERS = ("user", "privileges", "landlock", "seccomp")
ASKS = 4
"""How often a run may be started over because it needs another module."""


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

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process of this sandbox."""
        self._runner.close()

    def cancel(self) -> None:
        """End the run that is under way (in another thread): it returns soon, and what it returns means nothing."""
        self._runner.cancel()

    def run(self, plan: Plan, submission: Submission) -> Observations:
        """Return what `submission` did with the calls of `plan`, within the limits of its exercise. Never raises for a learner's sake."""
        why, observations = self._whole(plan, submission)
        if why == "wall":  # a machine that was busy, or a program that sleeps: once more, alone
            why, observations = self._whole(plan, submission)
        return observations

    def _whole(self, plan: Plan, submission: Submission) -> tuple[str, Observations]:
        """Run, again with another module imported when one was missing; return what ended it, and what it did."""
        modules = needed_preload([submission.source], self._preload)
        for left in reversed(range(ASKS)):
            may_ask = bool(left) and not self._files
            why, outcome = self._surely(plan, submission, modules, may_ask)
            if isinstance(outcome, Observations):
                return why, outcome
            if may_be_asked_for(outcome.module, self._preload):
                modules = [*modules, outcome.module]
            else:
                break
        why, outcome = self._surely(plan, submission, modules, may_ask=False)
        assert isinstance(outcome, Observations)  # a child that may not ask does not
        return why, outcome

    def _surely(
        self, plan: Plan, submission: Submission, modules: Sequence[str], may_ask: bool
    ) -> tuple[str, Observations | Needs]:
        """Run once; when something of ours fails, once more in a fresh process before it is recorded as our fault."""
        allowed = allowed_tops(self._preload)
        request = make_request(plan, submission, allowed=allowed, modules=modules, files=self._files, may_ask=may_ask)
        conclude = functools.partial(_conclude, request, self.isolation)
        reason = ""
        for _ in range(2):
            try:
                return self._runner.run(request, plan.exercise.limits, RESULT_BYTES, conclude)
            except Trouble as trouble:
                reason = str(trouble)
                self._runner.close()
                self._runner = self._start()
        detail = message("The grader's sandbox failed: {reason}", reason=reason)
        return "", Observations(Verdict.GRADER_ERROR, {}, self.isolation, detail=detail)


def _conclude(
    request: Request, isolation: Isolation, heard: Heard, status: int, read: Reader
) -> tuple[str, Observations | Needs]:
    if not heard.frames and heard.why != "protocol":  # none of the learner's code has run
        said = heard.printed.decode("utf-8", "replace").strip().splitlines()
        raise Trouble(said[-1] if said else f"a child could not be set up (status {status})")
    return heard.why, observe(heard, status, read, request=request, isolation=isolation)


# ---------------------------------------------------------------- which isolation


def open_sandbox(
    level: str,
    *,
    preload: Sequence[str] = (),
    device: str = "cpu",
    warm: bool = False,
    layers: Sequence[str] | None = None,
) -> Sandbox:
    """Start a sandbox and return at once, while its process still imports torch.

    `level`: "strict" refuses to run with less than every layer, "best" takes the strongest that works here, "none" takes limits alone.
    `preload`: modules that learner code may import besides torch, numpy and a list of the standard library. With `warm` they are imported
    once for all submissions, otherwise for each submission whose text names them. `layers`: at most these of LAYERS, to see
    what each is worth. Raises IsolationUnavailable.
    """
    if level not in LEVELS:
        raise ValueError(f"no isolation level {level!r}")
    if sys.platform == "linux" and level != "none" and device == "cpu":
        try:
            return _open_warm(level, preload, warm, layers)
        except Trouble:  # a kernel without what the warm process is made of
            if level == "strict":
                raise IsolationUnavailable(_NOT_HERE) from None
    if level == "strict":
        raise IsolationUnavailable(_NOT_HERE if device == "cpu" else _NOT_ON_DEVICE)
    note = _PRACTICE if level == "none" else _NOT_HERE
    isolation = Isolation(level, ("limits",), keeps_answers=False, note=note)
    paths = import_paths(("torch", "numpy", "typing_extensions", *preload))
    start = functools.partial(Spawned, paths, READY, device != "cpu")
    return Sandbox(isolation, start, start(), preload, files=True)


def _open_warm(level: str, preload: Sequence[str], warm: bool, layers: Sequence[str] | None) -> Sandbox:
    from grader.stages.sandbox.warm import Warm

    paths = import_paths(("torch", "numpy", "typing_extensions", *preload))
    wanted = [*READY, *allowed_tops(()), *(preload if warm else ())]
    first = Warm(paths, wanted, layers)
    isolation = _isolation(level, first.layers)
    missing = [name for name in _demanded(first.layers, first.why) if name not in first.layers]
    if level == "strict" and missing:
        first.close()
        raise IsolationUnavailable(_refusal(missing, first.why))
    start = functools.partial(Warm, paths, wanted, layers)
    return Sandbox(isolation, start, first, preload, files=not isolation.keeps_answers)


def _demanded(layers: Any, why: Any) -> list[str]:
    """What `strict` insists on; a user of its own where the judge is root, which alone can give one."""
    return [name for name in LAYERS if name != "user" or name in layers or name in why]


def _isolation(level: str, layers: Any) -> Isolation:
    held = ("limits", *(name for name in LAYERS if name in layers))
    keeps = "landlock" in held or "seccomp" in held  # either keeps every file shut
    return Isolation(level, held, keeps, None if keeps else _NOTHING_HOLDS)


def _refusal(missing: Sequence[str], why: Any) -> Message:
    return message(
        "Strict isolation is not to be had on this machine: {layers}. Use a Linux machine (or WSL 2, or a container) with kernel 5.13 or "
        "newer, Landlock and seccomp, or choose `--isolation best`. `grader doctor` shows each layer.",
        layers="; ".join(f"{name}: {why.get(name, '')}" for name in missing),
    )


_NOT_HERE = message(
    "This system cannot keep a learner's program away from the answers: only Linux can. "
    "Use Linux, WSL 2 or a container when the score matters."
)
_NOT_ON_DEVICE = message("Strict isolation is not to be had on a GPU. Use `--device cpu`, or `--isolation best`.")
_PRACTICE = message(
    "No isolation: the program could read the answers. Good for practice, not for a score that matters."
)
_NOTHING_HOLDS = message(
    "Neither Landlock nor seccomp works here: the program could read the answers. Good for practice, not for a score that matters."
)


@dataclass(frozen=True)
class Fact:
    """One layer on this machine. `why` says why it does not hold, in the system's own words."""

    layer: str
    holds: bool
    why: str = ""


def isolation_facts() -> tuple[Fact, ...]:
    """Try each layer in a process of its own, by doing what the layer forbids; return what came of it."""
    if sys.platform != "linux":
        return tuple(Fact(name, False, "only on Linux") for name in LAYERS)
    from grader.stages.sandbox.warm import Warm

    try:
        probe = Warm((), (), probe=True)
    except Trouble as trouble:
        return tuple(Fact(name, False, str(trouble)) for name in LAYERS)
    probe.close()
    return tuple(
        Fact(n, n in probe.layers, probe.why.get(n, "")) for n in LAYERS if n in probe.layers or n in probe.why
    )
