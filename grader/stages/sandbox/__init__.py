"""Runs a learner's file against a plan, in a process that cannot reach the answers, and returns what it did: Observations.

The judge never runs, parses or unpickles anything of the learner's. It sends inputs, reads back tensors and small JSON frames as untrusted
bytes, owns the clock and the kill, and believes nothing but values. `docs/security.md` says what each level stops.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.model import Isolation, IsolationUnavailable, Message, message
from grader.stages.sandbox.modules import READY, allowed_tops, needed_preload
from grader.stages.sandbox.runs import Sandbox
from grader.stages.sandbox.spawned import Spawned
from grader.stages.sandbox.start import Trouble, import_paths

__all__ = ["OPTIONAL", "Fact", "Sandbox", "Trouble", "isolation_facts", "needed_preload", "open_sandbox"]

LEVELS = ("strict", "best", "none")
LAYERS = ("user", "privileges", "namespaces", "landlock", "seccomp")
OPTIONAL = ("namespaces",)
"""What `strict` does without: the others stop all that it would."""


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
    files = not {"landlock", "seccomp", "namespaces"} & set(first.layers)
    return Sandbox(isolation, start, first, preload, files)


def _demanded(layers: Any, why: Any) -> list[str]:
    """What `strict` insists on; a user of its own where the judge is root, which alone can give one."""
    return [name for name in LAYERS if name not in OPTIONAL and (name != "user" or name in layers or name in why)]


def _isolation(level: str, layers: Any) -> Isolation:
    held = ("limits", *(name for name in LAYERS if name in layers))
    # Each of the first two keeps files and other processes out of reach; namespaces keep files, and another user the processes.
    keeps = "landlock" in held or "seccomp" in held or {"namespaces", "user"} <= set(held)
    return Isolation(level, held, keeps, None if keeps else _NOTHING_HOLDS)


def _refusal(missing: Sequence[str], why: Any) -> Message:
    return message(
        "Strict isolation is not to be had on this machine: {layers}. Use a Linux machine (or WSL 2, or a container) with kernel 5.13 or "
        "newer, Landlock and seccomp (and as root with the capabilities SETUID, SETGID and KILL), or choose `--isolation best`. "
        "`grader doctor` shows each layer.",
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
    "None of Landlock, seccomp and namespaces with a user of its own works here: the program could read the answers. Good for practice, "
    "not for a score that matters."
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
