"""A class is built, loaded, called and looked at in the child; results of earlier calls are handed on. What comes back is claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sandbox_plans import call, exercise, random_tensor

from grader.model import (
    Built,
    Call,
    Fault,
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
from grader.stages.sandbox.claims import facts_of
from grader.stages.sandbox.strict import WireError

X = random_tensor(2, 4, seed=1)
WEIGHT = random_tensor(3, 4, seed=2)
BUILT = Built({"d_in": 4, "d_out": 3}, {"inner.weight": WEIGHT})

LAYER = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, d_in, d_out, dropout=0.0):
        super().__init__()
        self.inner = nn.Linear(d_in, d_out, bias=False)
        self.drop = nn.Dropout(dropout)
        {more}

    def forward(self, x, factor=1):
        return self.drop(self.inner(x)) * factor
"""


def layer(more: str = "pass", forward: str | None = None) -> str:
    source = LAYER.format(more=more)
    return source if forward is None else source[: source.index("    def forward")] + forward


Run = Callable[..., Observations]


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Run a class `Layer(d_in, d_out, dropout=0.0)`, or a function `f(x)` with results named `a` and `b`."""
    forward = Signature("forward", (Parameter("x"), Parameter("factor", "1")))
    module = replace(exercise("Layer(d_in, d_out, dropout=0.0)"), builds=ModuleSpec(forward, {}, {}))
    function = replace(exercise("f(x)"), returns={"a": (), "b": ()})

    def run_source(source: str, *calls: Call) -> Observations:
        about = module if calls[0].built is not None else function
        made = Plan(exercise=about, cases=(), calls=calls, seed=0, device="cpu", rng_seed=7)
        return sandbox.run(made, Submission("work/f.py", "f", source.encode()))

    return run_source


def on_module(name: str, built: Built = BUILT, x: Tensor = X, **about: Any) -> Call:
    return replace(call(name, x=x), built=built, **about)


def only(observations: Observations) -> Observation:
    assert observations.verdict is Verdict.PASSED, observations
    (observation,) = observations.calls.values()
    return observation


def fault(observations: Observations) -> Fault:
    observation = only(observations)
    assert observation.verdict is Verdict.ERRORED, observation
    assert observation.fault is not None
    return observation.fault


def test_a_module_is_built_loaded_and_called(run: Run) -> None:
    seen = only(run(layer(), on_module("one")))
    assert seen.verdict is Verdict.PASSED, seen
    assert np.allclose(seen.value.array, X.array @ WEIGHT.array.T, atol=1e-6)
    assert seen.changed == ()
    assert seen.module is None  # nobody asked


def test_parameters_may_be_renamed_as_long_as_their_places_are_the_same(run: Run) -> None:
    source = layer().replace("d_in, d_out, dropout", "n, m, p").replace("(d_in", "(n").replace("d_out", "m")
    source = (
        source.replace("dropout", "p").replace("x, factor", "data, scale").replace("(x)) * factor", "(data)) * scale")
    )
    seen = only(run(source.replace("Dp", "D"), on_module("one")))
    assert seen.verdict is Verdict.PASSED, seen
    assert np.allclose(seen.value.array, X.array @ WEIGHT.array.T, atol=1e-6)


def test_a_decorated_forward_takes_arguments_as_the_one_behind_it(run: Run) -> None:
    decorator = "def logged(wrapped):\n    def f(*all, **named): return wrapped(*all, **named)\n    return f\n"
    forward = "    @logged\n    def forward(self, data):\n        return self.inner(data)\n"
    seen = only(run(decorator + layer(forward=forward), on_module("one")))
    assert seen.verdict is Verdict.PASSED, seen
    assert np.allclose(seen.value.array, X.array @ WEIGHT.array.T, atol=1e-6)


def test_a_module_in_float64_has_float64_parameters(run: Run) -> None:
    wide = replace(BUILT, dtype="float64", state={"inner.weight": Tensor("float64", WEIGHT.array.astype("float64"))})
    seen = only(run(layer(), on_module("one", wide, Tensor("float64", X.array.astype("float64")))))
    assert seen.value.dtype == "float64"
    assert np.allclose(seen.value.array, X.array.astype("float64") @ WEIGHT.array.T.astype("float64"), atol=1e-12)


def test_gradients_come_for_arguments_and_for_parameters_by_their_names(run: Run) -> None:
    cotangent = random_tensor(2, 3, seed=3)
    names = ("x", "inner.weight")
    seen = only(run(layer(), on_module("one", gradients_of=names, cotangent=(cotangent,))))
    assert np.allclose(seen.gradients["x"].array, cotangent.array @ WEIGHT.array, atol=1e-6)
    assert np.allclose(seen.gradients["inner.weight"].array, cotangent.array.T @ X.array, atol=1e-6)


def test_a_parameter_that_is_not_trained_has_no_gradient(run: Run) -> None:
    source = layer("self.inner.weight.requires_grad_(False)")
    names = ("x", "inner.weight")
    seen = only(run(source, on_module("one", gradients_of=names, cotangent=(random_tensor(2, 3),))))
    assert seen.gradients["inner.weight"] is None
    assert seen.gradients["x"] is not None


def test_buffers_keep_what_the_class_put_into_them(run: Run) -> None:
    source = layer(
        "self.register_buffer('shift', torch.full((d_out,), 5.0))",
        "    def forward(self, x):\n        return self.inner(x) * 0 + self.shift\n",
    )
    assert (only(run(source, on_module("one"))).value.array == 5.0).all()


def test_a_parameter_under_another_name_is_told_with_the_names_that_are_there(run: Run) -> None:
    told = fault(run(layer().replace("inner", "linear"), on_module("one")))
    assert (told.kind, told.type, told.got, told.near) == ("state", "inner.weight", "", ("linear.weight",))


def test_a_parameter_of_another_shape_is_told_with_its_shape(run: Run) -> None:
    told = fault(run(layer().replace("(d_in, d_out, bias", "(d_out, d_in, bias"), on_module("one")))
    assert (told.kind, told.type, told.got) == ("state", "inner.weight", "(4, 3)")


def test_layers_in_a_python_list_are_no_parameters(run: Run) -> None:
    source = layer("self.inner = [nn.Linear(d_in, d_out, bias=False)]")
    assert (
        fault(run(source.replace("self.inner = nn.Linear(d_in, d_out, bias=False)", ""), on_module("one"))).near == ()
    )


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("class Layer:\n    def __init__(self, d_in, d_out, dropout=0.0): pass", "not_module", "Layer"),
        ("def Layer(d_in, d_out, dropout=0.0): return None", "not_module", "NoneType"),
        (layer().replace("d_in, d_out, dropout=0.0", "width"), "signature", ""),
        (layer().replace("x, factor=1", "x, y, z"), "signature", "forward"),
        (layer().replace("super().__init__()", "pass"), "exception", "AttributeError"),
        (layer("raise ValueError('no')"), "exception", "ValueError"),
    ],
)
def test_a_class_that_cannot_be_built_or_called_says_how(run: Run, source: str, kind: str, text: str) -> None:
    told = fault(run(source, on_module("one")))
    assert (told.kind, told.type) == (kind, text)


def test_an_exception_in_forward_has_the_learners_lines(run: Run) -> None:
    told = fault(run(layer(forward="    def forward(self, x):\n        raise IndexError('here')\n"), on_module("one")))
    assert [line for _, _, line in told.lines] == ["raise IndexError('here')"]


def test_a_factory_of_modules_is_as_good_as_a_class(run: Run) -> None:
    source = (
        layer().replace("class Layer", "class Inner")
        + "\ndef Layer(d_in, d_out, dropout=0.0):\n    return Inner(d_in, d_out)\n"
    )
    assert only(run(source, on_module("one"))).verdict is Verdict.PASSED


def test_the_mode_decides_on_dropout_and_calls_are_repeated_on_one_module(run: Run) -> None:
    still = replace(BUILT, arguments={**BUILT.arguments, "dropout": 0.5})
    calls = [on_module(mode, replace(still, mode=mode), repeat=256) for mode in ("eval", "train")]
    seen = run(layer(), *calls).calls
    values = {mode: np.stack([value.array for value in seen[mode].value]) for mode in seen}
    assert values["train"].shape == (256, 2, 3)
    assert (values["eval"] == values["eval"][0]).all()
    share = (values["train"] == 0).mean()
    assert 0.4 < share < 0.6
    assert np.allclose(values["train"].mean(0), values["eval"][0], atol=1.0)


def test_repeated_calls_may_change_their_inputs_without_changing_each_others(run: Run) -> None:
    source = layer(forward="    def forward(self, x):\n        return self.inner(x.mul_(2))\n")
    seen = only(run(source, on_module("one", repeat=2)))
    assert np.array_equal(seen.value[0].array, seen.value[1].array)
    assert seen.changed == ("x",)


def test_an_earlier_call_is_made_on_the_same_module(run: Run) -> None:
    forward = (
        "    def forward(self, x):\n"
        "        self.calls = getattr(self, 'calls', 0) + len(x)\n"
        "        return torch.tensor(self.calls)\n"
    )
    source = layer(forward=forward)
    seen = run(source, on_module("alone"), on_module("second", warm_up={"x": random_tensor(7, 4)})).calls
    assert (int(seen["alone"].value.array), int(seen["second"].value.array)) == (2, 9)


def test_a_call_is_made_on_a_new_module_each_time(run: Run) -> None:
    forward = "    def forward(self, x):\n        with torch.no_grad():\n            self.inner.weight += 1\n        return self.inner(x)\n"
    seen = run(layer(forward=forward), on_module("one"), on_module("two")).calls
    assert np.array_equal(seen["one"].value.array, seen["two"].value.array)


# ---------------------------------------------------------------- how it is made

MADE = """
        self.register_buffer('mask', torch.ones(2, 2, dtype=torch.bool))
        self.register_buffer('scale', torch.ones(2), persistent=False)
        self.plain = torch.ones(1)
        self.inside = {'list': [torch.ones(2)], 'layer': (nn.Linear(2, 2, bias=False),)}
        self.extra = nn.Parameter(torch.zeros(5))
"""


def test_what_a_module_is_made_of_is_told(run: Run) -> None:
    seen = only(run(layer(MADE), on_module("one", facts=True)))
    assert seen.module is not None
    assert seen.module.parameters == {"extra": (5,), "inner.weight": (3, 4)}
    assert seen.module.buffers == {"mask": "bool", "scale": "float32"}
    assert seen.module.left_behind == ("plain", "inside.list.0", "inside.layer.0.weight")
    assert seen.module.halved == {"mask": "bool", "scale": "float16"}


def test_a_module_that_holds_itself_is_told_all_the_same(run: Run) -> None:
    seen = only(run(layer("self.around = [self]; self.around.append(self.around)"), on_module("one", facts=True)))
    assert seen.module is not None
    assert seen.module.left_behind == ()


def test_nothing_is_known_of_a_module_that_cannot_move(run: Run) -> None:
    source = (
        layer()
        + "\n    def to(self, *a, **k):\n        if a:\n            raise RuntimeError\n        return super().to(*a, **k)\n"
    )
    seen = only(run(source, on_module("one", facts=True)))
    assert (seen.verdict, seen.module) == (Verdict.PASSED, None)


FACTS = {"parameters": [["w", [2]]], "buffers": [["m", "bool"]], "left_behind": ["x"], "halved": []}


@pytest.mark.parametrize(
    "lie",
    [
        None,
        {},
        {**FACTS, "more": 1},
        {**FACTS, "parameters": [["w", [-1]]]},
        {**FACTS, "parameters": [["w", [True]]]},
        {**FACTS, "parameters": [["w", [1 << 63]]]},
        {**FACTS, "parameters": [["w", [1] * 17]]},
        {**FACTS, "parameters": {"w": [1]}},
        {**FACTS, "buffers": [["m"]]},
        {**FACTS, "buffers": [["m", 1]]},
        {**FACTS, "left_behind": ["x" * 101]},
        {**FACTS, "left_behind": ["x"] * 201},
        {**FACTS, "halved": [[1, "bool"]]},
    ],
)
def test_facts_of_another_form_are_refused(lie: Any) -> None:
    assert facts_of(FACTS).parameters == {"w": (2,)}
    with pytest.raises(WireError):
        facts_of(lie)


# ---------------------------------------------------------------- results of earlier calls

TWO = "def f(x):\n    return x + 1, x * 2\n"


def test_an_argument_can_be_what_an_earlier_call_returned(run: Run) -> None:
    seen = run(TWO, call("one", x=X), call("two", x=ResultOf("one", "b")), call("three", x=ResultOf("two", "a"))).calls
    assert np.allclose(seen["three"].value[1].array, (X.array * 2 + 1) * 2)
    assert seen["three"].changed == ()


def test_a_result_reaches_a_hidden_call_too(run: Run) -> None:
    seen = run(TWO, call("one", x=X), call("two", hidden=True, x=ResultOf("one", "a"))).calls
    assert np.allclose(seen["two"].value[0].array, X.array + 2)


def test_a_call_that_changes_its_argument_does_not_change_what_the_next_one_gets(run: Run) -> None:
    source = "def f(x):\n    x += 1\n    return x, x\n"
    seen = run(
        source, call("one", x=X), call("two", x=ResultOf("one", "a")), call("three", x=ResultOf("one", "a"))
    ).calls
    assert np.array_equal(seen["two"].value[0].array, seen["three"].value[0].array)
    assert seen["two"].changed == ("x",)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    if x.dim() == 2:\n        raise ValueError\n    return x, x",
        "def f(x):\n    return x",
        "def f(x):\n    return x, None",
    ],
)
def test_a_result_that_is_not_there_is_said_and_the_run_goes_on(run: Run, source: str) -> None:
    seen = run(source, call("one", x=X), call("two", x=ResultOf("one", "b")), call("three", x=1.0)).calls
    assert seen["two"].verdict is Verdict.ERRORED
    assert seen["two"].fault is not None
    assert (seen["two"].fault.kind, seen["two"].fault.type) == ("earlier", "x")
    assert "three" in seen
