"""A fault of ours is never told as the learner's exception, and no learner turns a zero into a fault of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from sandbox_plans import call, exercise, plan, random_tensor

from grader.model import Built, Call, Observations, Plan, Submission, Verdict
from grader.stages.sandbox import Sandbox, runs
from grader.stages.sandbox.control import control_submission
from grader.stages.sandbox.request import Request, make_request
from grader.stages.sandbox.values import TensorStore

Run = Callable[..., Observations]
X = random_tensor(2, 3)
HONEST = Submission("f.py", "f", b"def f(x):\n    return x + 1")


def spoil(monkeypatch: pytest.MonkeyPatch, old: bytes, new: bytes) -> list[Request]:
    """Make every request carry `new` in place of `old` (of one length), as a bug in ours would; return the requests."""
    made: list[Request] = []

    def spoilt(*about: Any, **more: Any) -> Request:
        request = make_request(*about, **more)
        assert len(old) == len(new)
        assert old in request.first
        first = request.first.replace(old, new)
        made.append(Request(request.calls, request.open_count, first, request.hidden, request.may_ask))
        return made[-1]

    monkeypatch.setattr(runs, "make_request", spoilt)
    return made


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"repeat"', b'"repaat"'),
        (b'"keep"', b'"kepp"'),
        (b'"t"', b'"q"'),
        (b'"seed"', b'"sead"'),
        (b'"flood"', b'"floods'[:7]),
    ],
    ids=["a spec without a key", "another one", "an unknown sort of argument", "a job without a key", "no JSON"],
)
def test_a_fault_of_ours_is_ours(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, old: bytes, new: bytes) -> None:
    made, restarts = spoil(monkeypatch, old, new), []
    monkeypatch.setattr(sandbox, "_restart", lambda: restarts.append(1))
    observations = sandbox.run(plan(call("one", x=X)), HONEST)
    assert (observations.verdict, observations.calls, observations.fault) == (Verdict.GRADER_ERROR, {}, None)
    assert observations.detail is not None
    assert "py:" in observations.detail.fields["reason"], observations.detail
    # once more in a fresh process, then beside a harmless file, and all of it in a fresh warm process
    assert (len(made), len(restarts)) == (5, 2)


def test_a_fault_of_ours_that_does_not_come_back_costs_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = sandbox._once
    faults = [runs.Broken("a rare one", Observations(Verdict.CRASHED, {}, sandbox.isolation))]
    monkeypatch.setattr(
        sandbox, "_once", lambda *about, **more: ("", faults.pop()) if faults else original(*about, **more)
    )
    assert sandbox.run(plan(call("one", x=1)), HONEST).calls["one"].value == 2


# What a submission does to ours, and what its calls are then: never a pass of the one that was disturbed, never a fault of ours.
MEDDLERS = {
    "json, in a call": "import json\ndef f(x):\n    json.dumps = None\n    return x",
    "json, at import": "import json\njson.dumps = None\ndef f(x):\n    return x",
    "reseeding": "import random\ndef no(*_): raise KeyError('repeat')\nrandom.seed = no\ndef f(x):\n    return x",
    "frombuffer": "import torch\ndef no(*_, **__): raise KeyError('repeat')\ntorch.frombuffer = no\ndef f(x):\n    return x",
    "a builtin": "import builtins\ndef no(*_): raise KeyError('repeat')\nbuiltins.len = no\ndef f(x):\n    return x",
    "all builtins": """
import builtins
def f(x):
    for name in list(vars(builtins)):
        if name != "__import__":
            del vars(builtins)[name]
    return x
""",
    "trace": """
import sys
def trace(frame, *_):
    if "sandbox" in frame.f_code.co_filename:
        raise KeyError("repeat")
    return trace
def f(x):
    sys.settrace(trace)
    return x
""",
    "profile": """
import sys
def trace(frame, *_):
    if "sandbox" in frame.f_code.co_filename:
        raise KeyError("repeat")
def f(x):
    sys.setprofile(trace)
    return x
""",
    "recursion limit": "import sys\ndef f(x):\n    sys.setrecursionlimit(12)\n    return x",
    "emptied spec": """
import sys
def f(x):
    frame = sys._getframe()
    while frame:
        spec = frame.f_locals.get("spec")
        if isinstance(spec, dict):
            spec.clear()
        frame = frame.f_back
    return x
""",
    "our own marker": "import sys\ndef f(x):\n    raise sys.modules['faults'].Theirs(None)",
    "a frame of ours": """
import json, os, struct
def f(x):
    text = json.dumps({"type": "KeyError", "text": "repeat", "where": "learner.py:1"}).encode()
    os.write(3, b"G" + struct.pack("<I", len(text)) + text)
    os._exit(3)
""",
    "an import that ends the process": "import unittest.__main__\ndef f(x):\n    return x",
    "a hostile signature": """
import inspect
class S(inspect.Signature):
    def bind(self, *a, **k):
        raise KeyError("repeat")
def f(x):
    return x
f.__signature__ = S()
""",
    "memory for nobody": """
held = []
def f(x):
    try:
        while True:
            held.append(bytearray(1 << 16))
    except MemoryError:
        return x
""",
}


@pytest.mark.parametrize("name", MEDDLERS)
def test_no_submission_makes_its_zero_a_fault_of_ours(run: Run, name: str) -> None:
    observations = run(MEDDLERS[name], call("one", x=X), call("two", x=X))
    told = [observations, *observations.calls.values()]
    assert all(one.verdict is not Verdict.GRADER_ERROR for one in told), observations
    texts = [one.fault.text for one in told if one.fault is not None and one.fault.kind == "exception"]
    assert not any("repeat" in text for text in texts), "a meddler's exception is told as an honest one's"
    if name not in HARMLESS:
        assert [o.verdict for o in observations.calls.values()].count(Verdict.PASSED) < 2


# Ours does not use what these change, or holds on to what it was.
HARMLESS = ("an import that ends the process", "memory for nobody")


def test_after_each_meddler_an_honest_file_runs(run: Run) -> None:
    assert run("def f(x):\n    return x + 1", call("one", x=1)).calls["one"].value == 2


def test_what_runs_code_of_the_learners_while_ours_works_is_the_learners(run: Run) -> None:
    in_repr = run("class E(Exception):\n    def __str__(self): raise OSError\ndef f(x):\n    raise E", call("one", x=X))
    assert in_repr.calls["one"].verdict is Verdict.ERRORED
    in_dispatch = (
        "import torch\nclass T(torch.Tensor):\n    __torch_function__ = torch._C._disabled_torch_function_impl\n"
        "    @staticmethod\n    def __new__(cls, x): return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype)\n"
        "    @classmethod\n    def __torch_dispatch__(cls, func, types, args=(), kwargs=None): raise KeyError\n"
        "def f(x):\n    return T(x)"
    )
    odd = run(in_dispatch, call("one", x=X)).calls["one"]
    assert odd.verdict is Verdict.PASSED
    assert odd.value.what == "a tensor whose numbers cannot be read"
    leaving = (
        "import torch\nclass T(torch.Tensor):\n    @property\n    def layout(self): raise SystemExit\n"
        "def f(x):\n    return x.as_subclass(T)"
    )
    left = run(leaving, call("one", x=X), call("two", x=X))
    assert [(o.verdict, o.fault and o.fault.kind) for o in left.calls.values()] == [(Verdict.ERRORED, "exit")]


def test_exceptions_of_a_module_are_the_learners_wherever_it_is_touched(sandbox: Sandbox) -> None:
    about = module_plan()
    for method in ("__init__", "to", "state_dict", "load_state_dict", "train", "forward", "named_parameters"):
        body = "super().__init__(); " if method == "__init__" else ""
        source = (
            "import torch\nclass Net(torch.nn.Module):\n"
            "    def __init__(self, D):\n        super().__init__()\n        self.w = torch.nn.Parameter(torch.zeros(D))\n"
            "    def forward(self, x):\n        return x * self.w\n"
            f"def {method}(self, *a, **k):\n    {body and 'torch.nn.Module.__init__(self); '}raise KeyError('mine')\n"
            f"Net.{method} = {method}\n"
        )
        seen = sandbox.run(about, Submission("net.py", "net", source.encode())).calls["one"]
        assert seen.fault is not None, method
        assert (seen.fault.kind, seen.fault.type, seen.fault.text) == ("exception", "KeyError", "'mine'"), method
        assert seen.fault.lines[-1][1] == method


def module_plan() -> Plan:
    made = exercise("Net(D)")
    forward = exercise("forward(x)").signature
    from dataclasses import replace

    from grader.model import ModuleSpec

    built = Built({"D": 3}, {"w": random_tensor(3)})
    asked = Call("one", "case", "graded", {"x": X}, built=built, cotangent=(X,), gradients_of=("w",))
    return Plan(replace(made, builds=ModuleSpec(forward, {}, {})), (), (asked,), 0, "cpu", 7)


def test_the_control_goes_through_a_plan_of_any_sort(sandbox: Sandbox) -> None:
    for about in (plan(*(call(f"c{i}", hidden=i > 2, x=X) for i in range(4))), module_plan()):
        seen = sandbox.run(about, control_submission(about))
        assert {o.verdict for o in seen.calls.values()} == {Verdict.PASSED}, seen


@pytest.mark.skipif(sys.platform != "linux", reason="a warm process is for Linux")
def test_a_submission_during_which_the_warm_process_dies_each_time_is_not_our_fault(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.stages.sandbox.start import Trouble
    from grader.stages.sandbox.warm import Warm

    original = Warm.run

    def dies(self: Warm, request: Request, *about: Any) -> Any:
        if b"control.py" not in request.first:
            self.close()
            raise Trouble("the warm process: it ended")
        return original(self, request, *about)

    if not isinstance(sandbox._runner, Warm):
        pytest.skip("no warm process")
    monkeypatch.setattr(Warm, "run", dies)
    observations = sandbox.run(plan(call("one", x=1)), HONEST)
    assert (observations.verdict, observations.calls) == (Verdict.CRASHED, {})


def test_an_argument_that_cannot_be_sent_is_an_error_of_the_caller() -> None:
    from grader.stages.sandbox.strict import WireError
    from grader.stages.sandbox.values import encode

    with pytest.raises(WireError):
        encode(object(), TensorStore())
