"""What a learner's file does comes back as observations: values, faults, limits, printed text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sandbox_plans import LIMITS, call, random_tensor

from grader.model import Call, Device, Observations, Tensor, Unsupported, Verdict

Run = Callable[..., Observations]
X = random_tensor(2, 3)


def only(observations: Observations) -> object:
    assert observations.verdict is Verdict.PASSED, observations
    (observation,) = observations.calls.values()
    assert observation.verdict is Verdict.PASSED, observation
    return observation.value


def test_a_tensor_comes_back_as_it_was_computed(run: Run) -> None:
    value = only(run("def f(x):\n    return x * 2", call("one", x=X)))
    assert isinstance(value, Tensor)
    assert value.dtype == "float32"
    assert np.array_equal(value.array, X.array * 2)


VALUES = {
    "None": None,
    "True": True,
    "-7": -7,
    "2**200": 2**200,
    "0.1": 0.1,
    "float('-inf')": float("-inf"),
    "3-4j": 3 - 4j,
    "'é\\u4f60'": "é\u4f60",
    "(1, [2.5, 'a'], {'k': None})": (1, [2.5, "a"], {"k": None}),
    "torch.Size([2, 3])": (2, 3),
    "np.float64(0.5)": 0.5,
    "np.int32(4)": 4,
}


def test_plain_values_come_back_equal(run: Run) -> None:
    source = f"import torch, numpy as np\ndef f(x):\n    return [{', '.join(VALUES)}][x]"
    observations = run(source, *(call(f"c{i}", x=i) for i in range(len(VALUES))))
    got = [observations.calls[f"c{i}"].value for i in range(len(VALUES))]
    assert got == list(VALUES.values())
    assert [type(v) for v in got] == [type(v) for v in VALUES.values()]


UNSUPPORTED = {
    "torch.eye(3).to_sparse()": "a sparse tensor",
    "torch.empty(2, device='meta')": "a tensor on the meta device, which holds no numbers",
    "torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8)": "a quantized tensor",
    "torch.nested.nested_tensor([torch.ones(1), torch.ones(2)])": "a nested tensor",
    "torch.zeros(1).expand(1 << 40)": "more data than a result may hold",
    "np.ones(3)": "a numpy array",
    "(i for i in range(3))": "a generator",
    "torch.nn.Linear(2, 2)": "a module",
    "torch.float32": "a torch dtype",
    "lambda: 1": "a function",
    "{1, 2}": "a set",
    "{1: 2}": "a dict whose keys are not texts",
    "object()": "an object of some other class",
    "10 ** 1000": "a whole number that is too large",
    "'a' * 100000": "a text that is too long",
    "['a' * 4000] * 5": "more values than a result may hold",
    "{'é' * 4000 + str(i): 0 for i in range(5)}": "more values than a result may hold",
    "torch.zeros(100, 100).tolist()": "more values than a result may hold",
    "{str(i): i for i in range(10000)}": "more values than a result may hold",
}


@pytest.mark.filterwarnings("ignore")
def test_values_that_cannot_travel_are_named(run: Run) -> None:
    source = (
        "import torch, warnings, numpy as np\nwarnings.simplefilter('ignore')\n"
        f"makers = [{', '.join(f'lambda: ({text})' for text in UNSUPPORTED)}]\ndef f(x):\n    return makers[x]()"
    )
    observations = run(source, *(call(f"c{i}", x=i) for i in range(len(UNSUPPORTED))))
    got = {text: observations.calls[f"c{i}"].value for i, text in enumerate(UNSUPPORTED)}
    assert got == {text: Unsupported(what) for text, what in UNSUPPORTED.items()}


@pytest.mark.parametrize(
    "dtype", ["bfloat16", "float16", "float64", "int64", "uint8", "bool", "complex64", "complex128"]
)
def test_every_dtype_travels_both_ways(run: Run, dtype: str) -> None:
    array = np.array([[0, 1], [1, 0]], dtype="float32" if dtype == "bfloat16" else dtype)
    value = only(run("def f(x):\n    return x.t(), str(x.dtype)", call("one", x=Tensor(dtype, array))))
    assert isinstance(value, tuple)
    assert value[0].dtype == dtype
    assert np.array_equal(value[0].array, array.T)
    assert value[1] == f"torch.{dtype}"


def test_every_sort_of_argument_arrives(run: Run) -> None:
    source = "def f(a, b, c, d, e):\n    return a is None, str(b), c, [t.sum().item() for t in d], e['k'].shape"
    arguments = {"a": None, "b": Device("cpu"), "c": (1, 2.5, "s"), "d": [X, X], "e": {"k": X}}
    value = only(run(source, call("one", **arguments), signature="f(a, b, c, d, e)"))
    total = pytest.approx(float(X.array.sum()), abs=1e-5)
    assert value == (True, "cpu", (1, 2.5, "s"), [total, total], (2, 3))


def test_zeros_without_memory_come_back_as_zeros(run: Run) -> None:
    """torch makes such tensors where a derivative is zero throughout."""
    got = run("import torch\ndef f(x):\n    return torch._efficientzerotensor(3)", call("one", x=1)).calls["one"].value
    assert got.array.tolist() == [0.0, 0.0, 0.0]


def test_a_subclass_and_a_view_come_back_as_plain_numbers(run: Run) -> None:
    source = "import torch\nclass S(torch.Tensor): pass\ndef f(x):\n    return x.as_subclass(S), torch.complex(x, x).conj(), x.T"
    value = only(run(source, call("one", x=X)))
    assert isinstance(value, tuple)
    assert np.array_equal(value[0].array, X.array)
    assert np.array_equal(value[1].array, X.array - 1j * X.array)
    assert np.array_equal(value[2].array, X.array.T)


def test_each_call_has_arguments_of_its_own_and_changes_are_told(run: Run) -> None:
    observations = run("def f(x):\n    x.zero_()\n    return x", call("one", x=X), call("two", x=X))
    assert [o.changed for o in observations.calls.values()] == [("x",), ("x",)]
    later = run("def f(x):\n    return x.sum().item(), x.unsqueeze_(0).shape", call("one", x=X), call("two", x=X))
    assert later.calls["one"].value == later.calls["two"].value
    assert later.calls["two"].changed == ("x",)
    assert run("def f(x):\n    return x + 1", call("one", x=X)).calls["one"].changed == ()


def test_an_exception_ends_one_call_and_shows_the_learners_lines_alone(run: Run) -> None:
    source = "import torch\ndef inner(x):\n    return torch.stack([x, x[0]])\n\ndef f(x):\n    return inner(x)\n"
    observations = run(source, call("one", x=X), call("two", x=X))
    fault = observations.calls["one"].fault
    assert observations.calls["one"].verdict is observations.calls["two"].verdict is Verdict.ERRORED
    assert fault is not None
    assert (fault.kind, fault.type, fault.bases[-2:]) == ("exception", "RuntimeError", ("BaseException", "object"))
    assert "stack expects each tensor to be equal size" in fault.text
    assert fault.lines == ((6, "f", "return inner(x)"), (3, "inner", "return torch.stack([x, x[0]])"))


def test_a_syntax_error_has_a_place(run: Run) -> None:
    fault = run("def f(x):\n    return (x\n", call("one", x=X)).fault
    assert fault is not None
    assert (fault.kind, fault.type, fault.lines, fault.column) == (
        "syntax",
        "SyntaxError",
        ((2, "", "    return (x"),),
        12,
    )


@pytest.mark.parametrize(
    ("source", "kind", "facts"),
    [
        ("def g(x): pass\nclass C: pass\nn = 1", "missing", {"near": ("g", "C")}),
        ("f = 3", "not_callable", {"type": "int"}),
        ("import requests", "import", {"type": "ImportError", "text": "requests"}),
        ("from .helper import g", "import", {"text": ".helper"}),
        ("import reference_impl", "import", {"text": "reference_impl"}),
        ("raise SystemExit(0)", "exit", {"type": "SystemExit"}),
        ("raise KeyError('a')", "exception", {"text": "'a'", "lines": ((1, "<module>", "raise KeyError('a')"),)}),
        ("from math import nothing", "exception", {"type": "ImportError"}),
        ("import torch.nothing", "exception", {"type": "ModuleNotFoundError"}),
        ("x = 1 / 0", "exception", {"type": "ZeroDivisionError", "text": "division by zero"}),
    ],
)
def test_a_file_that_does_not_load_says_why(run: Run, source: str, kind: str, facts: dict[str, object]) -> None:
    observations = run(source, call("one", x=X))
    assert observations.verdict is Verdict.ERRORED
    assert observations.calls == {}
    assert observations.fault is not None
    assert observations.fault.kind == kind
    assert {name: getattr(observations.fault, name) for name in facts} == facts


def test_a_forbidden_import_lists_what_is_allowed(run: Run) -> None:
    fault = run("import requests", call("one", x=X)).fault
    assert fault is not None
    assert {"torch", "numpy", "math"} <= set(fault.near)


# A decorator that hides the names of what it wraps.
WRAPPED = "def logged(wrapped):\n    def f(*all, **named): return wrapped(*all, **named)\n    return f\n"


@pytest.mark.parametrize(
    ("learner", "got"),
    [
        ("def f(a, b, c=None): return a - b", None),  # renamed: by position
        ("def f(*all): return all[0] - all[1]", None),
        ("def f(**named): return named['x'] - named['y']", None),
        ("def f(y, x): return x - y", None),  # our names in another order: by name
        ("def g(a, b): return a - b\ndef f(*all, **named): return g(*all, **named)", None),  # as what it calls takes it
        ("def g(*, y, x): return x - y\ndef f(*all, **named): return g(*all, **named)", None),
        (WRAPPED + "@logged\ndef f(a, b): return a - b", None),  # as what it wraps takes it
        (WRAPPED + "@logged\n@logged\ndef f(a, b): return a - b", None),
        (WRAPPED + "@logged\ndef f(y, x): return x - y", None),
        (
            WRAPPED + "class F:\n    def __call__(self, a, b): return a - b\nf = logged(F())",
            None,
        ),  # nothing is known: by position
        ("def f(*all, **named): return all[0] - named['y']", None),  # but for what its text speaks of
        ("def f(*all, **named): return named['x'] - named['y']", None),
        ("def f(x, *all, **named): return x - named['y']", None),
        (WRAPPED + "f = logged(lambda **named: named['x'] - named['y'])", None),
        ("def f(y, z): return 0", "(y, z)"),  # one of our names at another place
        ("def f(x): return 0", "(x)"),
        ("def f(x, y, z, w): return 0", "(x, y, z, w)"),
        ("def f(x: int, *, q=5): return 0", "(x, q=5)"),
    ],
)
def test_arguments_are_bound_by_name_then_by_position(run: Run, learner: str, got: str | None) -> None:
    observation = run(learner, call("one", x=5, y=3), signature="f(x, y)").calls["one"]
    if got is None:
        assert (observation.verdict, observation.value) == (Verdict.PASSED, 2)
    else:
        assert observation.fault is not None
        assert (observation.fault.kind, observation.fault.got) == ("signature", got)


@pytest.mark.parametrize("exit_code", [0, 3])
def test_leaving_at_import_or_in_a_call_is_a_crash_and_never_a_pass(run: Run, exit_code: int) -> None:
    at_import = run(f"import os\nos._exit({exit_code})", call("one", x=X))
    assert (at_import.verdict, at_import.calls) == (Verdict.CRASHED, {})
    assert at_import.detail is not None
    assert at_import.detail.fields == {"code": exit_code}
    source = f"import os\ndef f(x):\n    return x if x < 2 else os._exit({exit_code})"
    in_call = run(source, call("one", x=1), call("two", x=2), call("three", x=1))
    assert {k: v.verdict for k, v in in_call.calls.items()} == {"one": Verdict.PASSED, "two": Verdict.CRASHED}


@pytest.mark.parametrize("error", ["SystemExit(0)", "KeyboardInterrupt()", "GeneratorExit()"])
def test_a_base_exception_in_a_call_ends_the_run(run: Run, error: str) -> None:
    observations = run(f"def f(x):\n    raise {error}", call("one", x=X), call("two", x=X))
    assert set(observations.calls) == {"one"}
    assert observations.calls["one"].verdict is Verdict.ERRORED
    assert observations.calls["one"].fault is not None
    assert observations.calls["one"].fault.kind == "exit"


def test_an_endless_loop_is_stopped_and_named(run: Run) -> None:
    at_import = run("while True: pass", call("one", x=X))
    assert (at_import.verdict, at_import.calls) == (Verdict.TIMED_OUT, {})
    source = "def f(x):\n    print('at', x)\n    while x == 2: pass\n    return x"
    in_call = run(source, call("one", x=1), call("two", x=2), call("three", x=3))
    assert {k: v.verdict for k, v in in_call.calls.items()} == {"one": Verdict.PASSED, "two": Verdict.TIMED_OUT}
    assert in_call.calls["two"].printed == "at 2\n"
    assert in_call.detail is not None
    assert in_call.detail.fields == {"seconds": "1"}


def test_a_memory_bomb_ends_one_call(run: Run) -> None:
    source = "import torch\ndef f(x):\n    kept = []\n    while x == 2:\n        kept.append(torch.empty(1 << 25))\n    return x"
    observations = run(source, call("one", x=1), call("two", x=2), call("three", x=3))
    verdicts = [o.verdict for o in observations.calls.values()]
    assert verdicts == [Verdict.PASSED, Verdict.OUT_OF_MEMORY, Verdict.PASSED]
    at_import = run("x = bytearray(1 << 40)", call("one", x=1))
    assert at_import.verdict is Verdict.OUT_OF_MEMORY


def test_a_flood_of_print_is_stopped_and_cut(run: Run) -> None:
    observations = run("def f(x):\n    while True:\n        print('x' * 1000)", call("one", x=X), call("two", x=X))
    assert {k: v.verdict for k, v in observations.calls.items()} == {"one": Verdict.CRASHED}
    assert observations.truncated
    assert len(observations.calls["one"].printed) == 4096
    many = run("def f(x):\n    print('y' * 3000)\n    return x", call("one", x=1), call("two", x=1), call("three", x=1))
    assert [len(o.printed) for o in many.calls.values()] == [3001, 1095, 0]
    assert many.truncated


def test_printed_text_is_kept_by_call_and_made_plain(run: Run) -> None:
    first = "print('\\x1b[31mred\\u202e', object(), file=sys.stderr)"
    source = f"import sys\nprint('loading')\ndef f(x):\n    {first}\n    print(x)\n    return x"
    observations = run(source, call("one", x=1), call("two", x=2))
    assert observations.printed == "loading\n"
    assert observations.calls["two"].printed == "\\x1b[31mred\\u202e <object object at 0x…>\n2\n"


def test_a_hidden_call_says_the_class_of_its_exception_and_nothing_else(run: Run) -> None:
    source = (
        "class Told(ValueError): pass\nseen = []\n"
        "def f(x):\n    seen.append(x)\n    print('saw', seen)\n"
        "    if x > 1: raise (KeyError if x == 2 else Told)(f'secret {x}')\n    return x"
    )
    observations = run(source, call("one", x=1), call("two", hidden=True, x=2), call("three", hidden=True, x=3))
    assert observations.calls["one"].printed == "saw [1]\n"
    assert [o.printed for o in observations.calls.values()][1:] == ["", ""]
    faults = [o.fault for o in observations.calls.values()][1:]
    assert [(f.type, f.bases[:1], f.text, f.lines) for f in faults if f] == [
        ("KeyError", ("KeyError",), "", ()),
        ("Exception", ("ValueError",), "", ()),
    ]


def test_hidden_arguments_are_not_there_before_the_open_calls_are_done(run: Run) -> None:
    marker = 1234.5678
    source = (
        "import gc, torch, sys\ndef find():\n"
        "    objects = gc.get_objects()\n"
        f"    return any(isinstance(o, torch.Tensor) and o.numel() == 1 and abs(o.item() - {marker}) < 1e-3 for o in objects)\n"
        "def f(x):\n    return find()"
    )
    secret = Tensor("float32", np.array([marker], dtype=np.float32))
    observations = run(source, call("one", x=1), call("two", hidden=True, x=secret))
    assert {k: v.value for k, v in observations.calls.items()} == {"one": False, "two": True}


def test_gradients_are_those_of_the_weighted_sum(run: Run) -> None:
    weights = random_tensor(2, 3, seed=1)
    asked = Call("one", "case", "gradients", {"x": X, "y": X}, cotangent=(weights,), gradients_of=("x", "y"))
    observation = run("def f(x, y):\n    return x * x", asked, signature="f(x, y)").calls["one"]
    assert observation.gradients["y"] is None
    assert isinstance(observation.gradients["x"], Tensor)
    assert np.allclose(observation.gradients["x"].array, 2 * X.array * weights.array)
    assert isinstance(observation.value, Tensor)
    assert observation.changed == ()


def test_a_gradient_that_cannot_be_had_is_told_beside_the_value(run: Run) -> None:
    asked = Call("one", "case", "gradients", {"x": X}, cotangent=(random_tensor(3),), gradients_of=("x",))
    observation = run("def f(x):\n    return x * x", asked).calls["one"]
    assert observation.verdict is Verdict.PASSED
    assert observation.gradients == {}
    assert observation.fault is not None
    detached = run("def f(x):\n    return x.detach().sum(0)", asked).calls["one"]
    assert detached.gradients == {"x": None}


def test_the_same_submission_gives_the_same_observations(run: Run) -> None:
    source = (
        "import random, torch, numpy as np\nprint(random.random(), torch.rand(1), np.random.rand(), {'a', 'b', 'c', 'd'})\n"
        "def f(x):\n    return torch.rand(3).tolist(), random.random(), hash('text')"
    )
    first = run(source, call("one", x=1), call("two", x=1))
    second = run(source, call("one", x=1), call("two", x=1))
    assert first == second
    assert first.calls["one"].value == first.calls["two"].value


def test_honest_files_may_use_what_an_exercise_needs(run: Run) -> None:
    source = """
from __future__ import annotations
import collections, dataclasses, functools, itertools, math, typing, decimal, statistics, json, re, logging, warnings, time, copy
import numpy as np
import torch.nn.functional as F
from torch import nn, Tensor
from typing import Optional

@dataclasses.dataclass
class Config:
    heads: int = 2

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)
        self.att = nn.MultiheadAttention(4, 2, batch_first=True)
    def forward(self, x):
        y = F.dropout(F.layer_norm(self.lin(x), (4,)), 0.1, training=False)
        return self.att(y, y, y)[0]

def f(x: Tensor, y: Optional[Tensor] = None):
    import torch
    net = Net()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(x[None]).sum()
    loss.backward()
    optimiser.step()
    logging.warning("careful")
    warnings.warn("really")
    print(x, np.linalg.svd(np.eye(2))[1], torch.vmap(lambda row: row.sum())(x))
    F.scaled_dot_product_attention(x[None], x[None], x[None])
    torch.einsum("ij,kj->ik", x, x)
    return float(loss.detach()) == float(loss.detach())
"""
    observations = run(source, call("one", x=X))
    assert observations.calls["one"].value is True, observations
    assert "careful" in observations.calls["one"].printed
    assert "UserWarning: really" in observations.calls["one"].printed


def test_half_a_surrogate_pair_is_no_reason_to_fail(run: Run) -> None:
    source = "def f(x):\n    print('\\ud800')\n    if x == 2: raise ValueError('\\ud800')\n    return ['\\ud800', 'é']"
    observations = run(source, call("one", x=1), call("two", x=2))
    assert observations.calls["one"].value == ["\\ud800", "é"]
    assert observations.calls["one"].printed == "\\ud800\n"
    assert observations.calls["two"].fault is not None
    assert observations.calls["two"].fault.text == "\\ud800"


def test_a_line_is_counted_as_python_counts_it(run: Run) -> None:
    source = "x = '\x0c \x1c \x85 \u2028 \u2029'\ry = 2\r\ndef f(x):\n    raise ValueError  # here\n"
    fault = run(source, call("one", x=1)).calls["one"].fault
    assert fault is not None
    assert fault.lines == ((4, "f", "raise ValueError  # here"),)


def test_where_memory_ran_out_inside_of_ours_it_is_the_learners_all_the_same(run: Run) -> None:
    source = "import torch\nheld = []\ndef f(x):\n    held.append(bytearray(50 << 20))\n    return torch.zeros(1).expand(7 << 20)"
    observations = run(source, call("one", x=1), limits=replace(LIMITS, memory_mb=64))
    assert observations.calls["one"].verdict is Verdict.OUT_OF_MEMORY
