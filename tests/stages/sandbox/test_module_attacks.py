"""Classes that lie: about what they are, what they hold, what they did with what was loaded, and what earlier calls returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sandbox_plans import call, exercise, random_tensor

from grader.model import (
    Built,
    Call,
    ModuleSpec,
    Observation,
    Observations,
    Parameter,
    Plan,
    ResultOf,
    Signature,
    Submission,
    Tensor,
    Verdict,
)
from grader.stages.sandbox import Sandbox

X, WEIGHT, COTANGENT = random_tensor(2, 3, seed=1), random_tensor(3, seed=2), random_tensor(2, 3, seed=3)
RIGHT = X.array * WEIGHT.array
NET = replace(
    exercise("Net(D)"), builds=ModuleSpec(Signature("forward", (Parameter("x"),)), {}, {}), returns={"": ("B", "D")}
)
ASKED = Call(
    "one", "case", "graded", {"x": X}, built=Built({"D": 3}, {"w": WEIGHT}), cotangent=(COTANGENT,), gradients_of=("w",), facts=True
)  # fmt: skip

HONEST = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(D))
    def forward(self, x):
        return x * self.w
"""

Run = Callable[[str], Observations]


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Run a class `Net(D)` with one parameter `w` in two calls, the second one hidden."""
    calls = (ASKED, replace(ASKED, id="two", hidden=True))
    about = Plan(NET, (), calls, 0, "cpu", 7)
    return lambda source: sandbox.run(about, Submission("net.py", "net", source.encode()))


def right(seen: Observation) -> bool:
    return (
        isinstance(seen.value, Tensor)
        and seen.value.shape == RIGHT.shape
        and bool(np.allclose(seen.value.array, RIGHT, atol=1e-6))
    )


def test_the_honest_one_is_right(run: Run) -> None:
    seen = run(HONEST).calls
    assert all(right(one) for one in seen.values())
    assert np.allclose(seen["one"].gradients["w"].array, (COTANGENT.array * X.array).sum(0), atol=1e-6)  # type: ignore[union-attr]
    assert seen["one"].module is not None
    assert seen["one"].module.parameters == {"w": (3,)}


WRONG = {  # what each of these does to the honest class, so that its values or its gradients are wrong
    "loads nothing": "Net.load_state_dict = lambda self, state, strict=True: None",
    "answers from a metaclass": (
        "class Meta(type):\n    def __call__(cls, *a, **k):\n        made = super().__call__(*a, **k)\n"
        "        made.forward = lambda x: x * 0\n        return made\n"
        "class Net(Net, metaclass=Meta): pass"
    ),
    "is no module, but says so": (
        "class Net:\n    __class__ = nn.Module\n    def __init__(self, D): self.w = torch.zeros(D)\n"
        "    def __call__(self, x): return x * self.w\n    def to(self, **k): return self\n    def state_dict(self): return {}"
    ),
    "is made by __new__": "Net.__new__ = lambda cls, D: (lambda x: x)",
    "keeps its own weights": "Net.state_dict = lambda self: {'w': torch.zeros(3)}\nNet.load_state_dict = lambda *a, **k: None",
    "changes its weights when its mode is set": "Net.train = lambda self, mode=True: self.w.data.zero_()",
    "has a hook on the way out": (
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n    self.register_forward_hook(lambda m, i, o: o * 0)\n"
        "Net.__init__ = more"
    ),
    "has a global hook": "nn.modules.module.register_module_forward_hook(lambda m, i, o: o + 1)",
    "parametrises its weights away": (
        "class Zero(nn.Module):\n    def forward(self, w): return w * 0\n    def right_inverse(self, w): return w\n"
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n"
        "    nn.utils.parametrize.register_parametrization(self, 'w', Zero())\nNet.__init__ = more"
    ),
    "returns another shape every time": "n = []\nNet.forward = lambda self, x: n.append(1) or x.repeat(len(n), 1, 1)",
    "is patched into nn.Module": "nn.Module.__call__ = lambda self, x: x * 0",
    "says that anything is equal": (
        "class W(nn.Parameter):\n    def __mul__(self, other): return other\n    __rmul__ = __mul__\n"
        "torch.Tensor.__mul__ = lambda a, b: a"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_class_that_lies_has_wrong_values(run: Run, name: str) -> None:
    observations = run(HONEST + WRONG[name])
    assert observations.verdict is not Verdict.GRADER_ERROR
    assert not any(right(seen) for seen in observations.calls.values()), observations


LYING_GRADIENTS = {
    "a hook on the parameter": (
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n    self.w.register_hook(lambda g: g * 0)\nNet.__init__ = more"
    ),
    "a function of its own": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, w): return x * w\n"
        "    @staticmethod\n    def backward(ctx, g): return None, torch.ones(3)\nNet.forward = lambda self, x: F.apply(x, self.w)"
    ),
    "another grad": "torch.autograd.grad = lambda total, leaves, **k: [torch.ones_like(leaf) for leaf in leaves]",
    "other parameters": "Net.named_parameters = lambda self, *a, **k: iter([('w', torch.zeros(3, requires_grad=True))])",
}


@pytest.mark.parametrize("name", LYING_GRADIENTS)
def test_gradients_that_lie_are_wrong_gradients(run: Run, name: str) -> None:
    seen = run(HONEST + LYING_GRADIENTS[name]).calls["one"]
    got = seen.gradients.get("w")
    wanted = (COTANGENT.array * X.array).sum(0)
    assert got is None or got.shape != wanted.shape or not np.allclose(got.array, wanted, atol=1e-6)


BOMBS = {
    "a module in itself": "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n    self.me = self\nNet.__init__ = more",
    "parameters without end": (
        "def endless(self, *a, **k):\n    n = 0\n    while True:\n        n += 1\n        yield f'p{n}', self.w\n"
        "Net.named_parameters = endless"
    ),
    "a hundred thousand buffers": (
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n"
        "    for i in range(100_000): self._buffers[f'b{i}'] = None if i % 2 else self.w.data\nNet.__init__ = more"
    ),
    "names of a megabyte": (
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n    self._buffers['\\x1b' * (1 << 20)] = self.w.data\n"
        "Net.__init__ = more"
    ),
    "attributes that run code": (
        "class Odd(dict):\n    def items(self): raise SystemExit\n    def __iter__(self): raise SystemExit\n"
        "init = Net.__init__\ndef more(self, D):\n    init(self, D)\n    self.odd = [Odd(a=1)]\n    self.loop = [self.odd]\n"
        "    self.odd.append(self.loop)\nNet.__init__ = more"
    ),
    "facts that end the process": "Net.half = lambda self: exit(0)",
    "facts that are no facts": "Net.named_buffers = lambda self, *a, **k: iter([(1, 2), (None, None)])",
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_a_module_is_made_of_never_costs_the_grader(run: Run, name: str) -> None:
    observations = run(HONEST + BOMBS[name])
    told = [observations, *observations.calls.values()]
    assert all(one.verdict is not Verdict.GRADER_ERROR for one in told), observations
    for seen in observations.calls.values():
        assert seen.module is None or len(repr(seen.module)) < 100_000


def test_an_earlier_result_is_handed_on_as_it_was_returned(sandbox: Sandbox) -> None:
    first = call("one", x=X)
    second = Call("two", "case", "graded", {"x": ResultOf("one")})
    about = Plan(exercise("f(x)"), (), (first, second), 0, "cpu", 7)

    def run(source: str) -> Observations:
        return sandbox.run(about, Submission("f.py", "f", source.encode()))

    later = "import torch\nkept = []\ndef f(x):\n    if kept: kept[0].zero_(); return x\n    kept.append(x + 1)\n    return kept[0]"
    assert np.array_equal(run(later).calls["two"].value.array, X.array + 1)
    lying = "import torch\nclass T(torch.Tensor): pass\ndef f(x):\n    return x.as_subclass(T) if type(x) is torch.Tensor else 'seen'"
    assert isinstance(run(lying).calls["two"].value, Tensor)
    for odd in ("None", "[x]", "'x' * 100", "x.to_sparse()", "x.to('meta')", "{'': x}"):
        seen = run(f"def f(x):\n    return {odd}").calls["two"]
        assert seen.verdict is Verdict.ERRORED
        assert seen.fault is not None
        assert seen.fault.kind == "earlier"
