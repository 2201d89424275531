"""What was heard from a dead child to Observations. Nothing here trusts a word of it; what does not fit counts as nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grader.model import Call, Isolation, Message, Observation, Observations, Tensor, Verdict, message
from grader.stages.sandbox.claims import class_only, facts_of, fault_of, text
from grader.stages.sandbox.request import FLOOD, Request
from grader.stages.sandbox.shown import plain
from grader.stages.sandbox.strict import WireError
from grader.stages.sandbox.values import decode
from grader.stages.sandbox.watch import Heard
from grader.stages.sandbox.wire import MB, Caps, unpack

RESULT_BYTES = 32 * MB
CAPS = Caps(bytes=RESULT_BYTES, header=256 * 1024, tensors=1024, numel=RESULT_BYTES)


@dataclass(frozen=True)
class Needs:
    """The run stopped because it wanted a module that was not imported before the lock."""

    module: str


@dataclass(frozen=True)
class Broken:
    """The run stopped where only a fault of ours should stop one, or where the learner's code meddled with ours: then it is `blamed`."""

    reason: str
    blamed: Observations


def observe(
    heard: Heard, status: int, read: Callable[[int, int], bytes], *, request: Request, isolation: Isolation
) -> Observations | Needs | Broken:
    """Return what the run amounts to. `status` is the wait status of the dead child."""
    try:
        if heard.why == "protocol":
            raise WireError(heard.complaint)
        return _Story(heard, status, read, request, isolation).told()
    except WireError:
        detail = message("The program wrote to the channel that the grader uses to talk to it.")
        return Observations(Verdict.CRASHED, {}, isolation, detail=detail)


@dataclass
class _Story:
    heard: Heard
    status: int
    read: Callable[[int, int], bytes]
    request: Request
    isolation: Isolation
    place: int = 0  # in the printed text
    used: int = 0  # of the result area

    def told(self) -> Observations | Needs | Broken:
        """Say what it amounts to, unless the child's last word is a wish or a fault of ours."""
        last, content = self.heard.frames[-1] if self.heard.frames else ("", {})
        if last == "N":
            if not self.request.may_ask:
                raise WireError("a wish that is not granted")
            return Needs(text(content["module"], 100))
        observations = self._amounts_to(last)
        if last == "G":
            about = (text(content["where"], 100), text(content["type"], 100), text(content["text"], 1000))
            return Broken(": ".join(part for part in about if part), observations)
        return observations

    def _amounts_to(self, last: str) -> Observations:
        """Go through the frames once, in order."""
        calls: dict[str, Observation] = {}
        loading: Mapping[str, Any] = {}
        printed = ""
        begun: Call | None = None
        for tag, content in self.heard.frames:
            if tag in "LF":
                loading, printed = content, self._printed(content)
            elif tag == "B":
                begun = self.request.calls[content["call"]]
            elif tag in "RX" and begun is not None:
                calls[begun.id] = self._observation(begun, tag, content)
                begun = None
        cut = self.heard.printed_total > len(self.heard.printed)
        if last == "F":
            fault = fault_of(loading["fault"])
            verdict = Verdict.OUT_OF_MEMORY if loading.get("memory") is True else Verdict.ERRORED
            return Observations(verdict, {}, self.isolation, fault=fault, printed=printed, truncated=cut)
        verdict, detail = self._ending(last, calls)
        if last in ("S", "", "O", "G") and not calls and not any(tag == "L" for tag, _ in self.heard.frames):
            return Observations(verdict, {}, self.isolation, detail=detail, printed=self._printed({}), truncated=cut)
        if verdict is not Verdict.PASSED:
            stopped = begun or next((c for c in self.request.calls if c.id not in calls), None)
            if stopped is not None:
                shown = "" if stopped.hidden else self._printed({})
                calls[stopped.id] = Observation(stopped.id, verdict, printed=shown)
        return Observations(Verdict.PASSED, calls, self.isolation, detail=detail, printed=printed, truncated=cut)

    def _ending(self, last: str, calls: Mapping[str, Observation]) -> tuple[Verdict, Message | None]:
        """How the process ended, when it did not end as it should."""
        if self.heard.why in ("cpu", "wall"):
            return Verdict.TIMED_OUT, self._too_slow()
        if self.heard.why == "flood" or last == "O":
            return Verdict.CRASHED, message("It printed more than {mb} MB and was stopped.", mb=FLOOD // MB)
        if last == "D" or (last == "X" and any(o.fault and o.fault.kind == "exit" for o in calls.values())):
            return Verdict.PASSED, None
        if last == "G":
            return Verdict.CRASHED, _DISTURBED if len(self.heard.frames) > 1 else NOT_READY
        if any(
            tag == "W" for tag, _ in self.heard.frames
        ):  # a number of the learner's choice could speak of what it has seen
            return Verdict.CRASHED, message("The program ended before it was done.")
        if os.WIFSIGNALED(self.status):
            return Verdict.CRASHED, _by_signal(os.WTERMSIG(self.status))
        code = os.WEXITSTATUS(self.status)
        return Verdict.CRASHED, message("The program ended itself (exit code {code}) before it was done.", code=code)

    def _too_slow(self) -> Message:
        seconds = f"{self.heard.limit:g}"
        if self.heard.why == "cpu":
            return message("It computed for more than {seconds} seconds and was stopped.", seconds=seconds)
        return message("It waited for more than {seconds} seconds and was stopped.", seconds=seconds)

    def _printed(self, content: Mapping[str, Any]) -> str:
        """The printed text up to what `content` claims, or all the rest of it."""
        end = min(content.get("printed", len(self.heard.printed)), len(self.heard.printed))
        start, self.place = self.place, max(self.place, end)
        return plain(self.heard.printed[start : self.place].decode("utf-8", "replace"))

    def _observation(self, call: Call, tag: str, content: Mapping[str, Any]) -> Observation:
        printed = "" if call.hidden else self._printed(content)
        fault = fault_of(content["fault"]) if "fault" in content else None
        if fault is not None and call.hidden:
            fault = class_only(fault)
        if tag == "X":
            verdict = Verdict.OUT_OF_MEMORY if content.get("memory") is True else Verdict.ERRORED
            return Observation(call.id, verdict, fault=fault, printed=printed)
        tensors = self._tensors(content.get("at"))
        gradients = {}
        if "gradients" in content:
            nodes = content["gradients"]
            if type(nodes) is not list or len(nodes) != len(call.gradients_of):
                raise WireError("other gradients than were asked for")
            values = (decode(node, tensors) for node in nodes)
            gradients = {
                name: v if isinstance(v, Tensor) else None for name, v in zip(call.gradients_of, values, strict=True)
            }
        changed = content.get("changed", [])
        if type(changed) is not list or any(type(name) is not str or name not in call.arguments for name in changed):
            raise WireError("a change of something that is no argument")
        value = decode(content["value"], tensors)
        if "module" in content and not call.facts:
            raise WireError("facts that were not asked for")
        facts = facts_of(content["module"]) if "module" in content else None
        return Observation(call.id, Verdict.PASSED, value, fault, tuple(changed), gradients, printed, facts)

    def _tensors(self, at: Any) -> Mapping[str, Tensor]:
        if at is None:
            return {}
        if type(at) is not list or len(at) != 3 or any(type(n) is not int or n < 0 for n in at):
            raise WireError("a malformed place")
        offset, length, count = at
        if offset + length > RESULT_BYTES or count > CAPS.tensors:
            raise WireError("a place outside the result area")
        if offset != self.used:  # or every call could claim the whole area, and the judge would hold it once for each
            raise WireError("a place that is not the next one")
        self.used += length
        return unpack(self.read(offset, length), names=[str(i) for i in range(count)], caps=CAPS)


NOT_READY = message("What the program imports kept it from being started.")
_DISTURBED = message(
    "The grader's own part of the process could not go on after it. That happens when a program traces the interpreter, or changes what "
    "Python, torch or numpy do."
)


def _by_signal(number: int) -> Message:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    if number == getattr(signal, "SIGKILL", 9):
        return message(
            "The program was killed from outside ({name}); the machine may have run out of memory.", name=name
        )
    if number == getattr(signal, "SIGXCPU", 24):
        return message("The program was stopped by the system's limit on computing time.")
    return message("The program crashed ({name}).", name=name)
