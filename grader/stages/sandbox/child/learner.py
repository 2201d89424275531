"""In the child, behind the lock: load the learner's file, call the function, tell the judge what happened. A claim, every word of it."""

from __future__ import annotations

import builtins
import contextlib
import io
import linecache
import mmap
import random
import sys
import types
from collections.abc import Callable, Mapping
from importlib.machinery import PathFinder
from typing import Any

import modules  # type: ignore[import-not-found]
import numpy
import torch
from arguments import Arguments  # type: ignore[import-not-found]
from channel import Channel, Printed, flush  # type: ignore[import-not-found]
from encode import Area, Tree  # type: ignore[import-not-found]
from faults import SHOWN_NAME, Theirs, fault, is_a, out_of_memory, shown, syntax_fault, theirs  # type: ignore[import-not-found]
from gradients import gradient_nodes, sources  # type: ignore[import-not-found]
from imports import Forbidden, Missed, caused_by_import, guarded_import  # type: ignore[import-not-found]

MODULE = "submission"
RESERVE = 4 << 20
SHOWN_NAMES = 20


def reseed(seed: int, device: str) -> None:
    random.seed(seed)
    numpy.random.seed(seed & 0xFFFFFFFF)
    if (
        device == "cpu"
    ):  # torch.manual_seed keeps a traceback for every kind of device, which takes most of a millisecond
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)


def as_it_is(model: Any = None, **options: Any) -> Any:
    """Stand in for `torch.compile`: compiling needs files and processes of its own, and changes no value."""
    return model if model is not None else as_it_is


def settle() -> None:
    """Let settings pass that cannot be had here and change no value: more threads, compiled code."""
    torch.set_num_threads = lambda nthreads: None
    torch.compile = as_it_is


class Ended(BaseException):
    """Nothing more to do: the judge has been told why."""


class Run:
    """One submission: `load` it, `call` it, each with one frame that says how it went."""

    def __init__(self, job: Mapping[str, Any], source: bytes, channel: Channel, area: Area, printed: Printed):
        self.job, self.source, self.channel, self.area, self.printed = job, source, channel, area, printed
        self.filename: str = job["filename"]
        self.kept = modules.Kept(job["device"])
        self.arrays = job.get("arrays") == "numpy"
        self.missed = Missed()
        self.reserve: Any = None
        self.sees_hidden = False

    def reseed(self) -> None:
        reseed(self.job["seed"], self.job["device"])

    def tell(self, tag: bytes, content: dict[str, Any], hold: bool = False) -> None:
        flush()
        self.channel.send(tag, {**content, "printed": self.printed.count}, hold)

    def stop(self, content: dict[str, Any]) -> None:
        self.tell(b"F", content)
        raise Ended

    def load(self) -> Callable[..., Any]:
        self.channel.send(b"S")
        if not self.job["files"]:  # behind the lock nothing can be read, however it would fail
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not PathFinder]
        sys.meta_path.append(self.missed)
        settle()
        self.reseed()
        module = types.ModuleType(MODULE)
        module.__file__ = self.filename
        sys.modules[MODULE] = module
        allowed = frozenset(self.job["allowed"])
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": guarded_import(allowed)}
        try:
            text = self.source.decode("utf-8")
            lines = list(
                io.StringIO(text, newline=None)
            )  # not splitlines: Python counts fewer characters as ends of lines
            linecache.cache[self.filename] = (len(text), None, lines, self.filename)
            code = compile(text, self.filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.stop({"fault": syntax_fault(error)})
        self.reserve = mmap.mmap(-1, RESERVE)  # address space is what runs out; nothing is written to it
        try:
            theirs(exec, code, vars(module))
        except Theirs as told:
            self.stop(self.raised(told.error))
        function: Callable[..., Any] = self.function(module)
        self.tell(b"L", {})
        return function

    def raised(self, error: BaseException) -> dict[str, Any]:
        """What an exception of the learner's code means; one that wants a module may ask for it."""
        if is_a(error, Forbidden):
            return {
                "fault": fault("import", error, self.filename, type="ImportError", near=sorted(self.job["allowed"]))
            }
        if self.reserve is not None:
            self.reserve.close()
        self.reserve = None  # room to speak in, when it was memory that ran out
        self.ask(error)
        if is_a(error, Exception):
            return {"fault": fault("exception", error, self.filename), "memory": out_of_memory(error)}
        return {"fault": fault("exit", error, self.filename)}

    def ask(self, error: BaseException) -> None:
        """End the run and ask for a module, when the want of one caused `error`.

        Never once a hidden call has been seen: what is asked for could speak of it.
        """
        wanted = [name for name in self.missed.names if name not in self.job["import"]]
        if wanted and self.job["may_ask"] and not self.sees_hidden and caused_by_import(error):
            self.tell(b"N", {"module": shown(wanted[0], SHOWN_NAME)})
            raise Ended

    def function(self, module: types.ModuleType) -> Any:
        name = self.job["function"]
        found = vars(module).get(name)
        if name not in vars(module):
            own = [k for k, v in list(vars(module).items()) if type(k) is str and defined_here(v)]
            self.stop({"fault": fault("missing", near=[shown(k, SHOWN_NAME) for k in own[:SHOWN_NAMES]])})
        if not callable(found):
            self.stop({"fault": fault("not_callable", type=shown(type(found).__name__, SHOWN_NAME))})
        return found

    def call(self, number: int, spec: Mapping[str, Any], arguments: Arguments, target: Callable[..., Any]) -> None:
        """Make one call with arguments of its own and tell what came of it."""
        self.missed.names.clear()
        self.channel.send(b"B", {"call": number})
        try:
            self.reserve = self.reserve or mmap.mmap(-1, RESERVE)
            torch.set_grad_enabled(True)  # whatever the file switched off while it was loaded
            report = self.made(number, spec, arguments, target)
        except modules.Refused as refused:
            self.tell(b"X", {"call": number, "fault": refused.fault})
        except Theirs as told:
            self.tell(b"X", {"call": number, **self.raised(told.error)})
            if not is_a(told.error, Exception):
                raise Ended from None
        except Exception as error:
            if not out_of_memory(error):  # which is the learner's wherever it shows
                self.ask(error)
                raise
            self.tell(b"X", {"call": number, **self.raised(error)})
        else:
            self.tell(b"R", report, hold=True)

    def made(
        self, number: int, spec: Mapping[str, Any], arguments: Arguments, target: Callable[..., Any]
    ) -> dict[str, Any]:
        """Make one call, on a module that is built for it where the submission is a class; return the frame that says what came of it."""
        built, module = spec.get("built"), None
        called, names, where = target, self.job["parameters"], ""

        def build() -> Any:
            self.reseed()
            return modules.build(target, self.job, built, arguments)

        if built is not None:
            called = module = modules.load(build(), self.job, built, arguments)
            names, where = self.job["forward"], "forward"
        self.reseed()
        if "warm_up" in spec:
            modules.bound(called, names, modules.given(spec["warm_up"], arguments, self.kept), where, self.arrays)()
        values = modules.given(spec["arguments"], arguments, self.kept)
        for name in spec["gradients_of"]:
            if name in values:
                values[name].requires_grad_(True)
        results = [modules.bound(called, names, values, where, self.arrays)()]
        for _ in range(1, spec["repeat"]):
            fresh = modules.given(spec["arguments"], arguments, self.kept)
            results.append(modules.bound(called, names, fresh, where, self.arrays)())
        leaves = sources(spec["gradients_of"], values, module)
        cotangent = [arguments.value(node) for node in spec["cotangent"]]
        report = self.report(number, spec, results, leaves, cotangent)
        report["changed"] = [
            name for name, node in spec["arguments"] if modules.changed(values[name], node, arguments, self.kept)
        ]
        if spec["facts"]:
            with contextlib.suppress(Theirs):  # then nothing is known of how it is made
                report["module"] = theirs(modules.facts, build)
        return report

    def report(
        self, number: int, spec: Mapping[str, Any], results: list[Any], leaves: list[Any], cotangent: list[Any]
    ) -> dict[str, Any]:
        """Write the result's tensors (and gradients) into the result area; return the frame that describes them."""
        many = spec["repeat"] > 1
        tree = Tree(results if many else results.pop(), self.area.room, spec["repeat"], self.arrays)
        said: dict[str, Any] = {"call": number, "value": tree.root}
        if spec["keep"]:
            self.kept.put(number, tree)
        tensors = list(tree.tensors)
        if cotangent:
            try:
                said["gradients"] = gradient_nodes(tree.results, leaves, cotangent, tensors)
            except Theirs as told:
                if not is_a(told.error, Exception):
                    raise
                said["fault"] = fault("exception", told.error, self.filename)
        at = self.area.write(tensors)
        return {"call": number, "value": ["u", "large"]} if at is None else {**said, "at": at}


def defined_here(value: Any) -> bool:
    try:
        return callable(value) and value.__module__ == MODULE
    except Exception:  # the learner's own `__getattr__`
        return False
