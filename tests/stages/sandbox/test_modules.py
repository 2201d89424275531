"""What a submission will ask for is read off its text, cheaply and whatever the text is."""

from __future__ import annotations

import time

import pytest

from grader.stages.sandbox.modules import may_be_asked_for, needed_preload


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("import math", ["math"]),
        ("import torch.nn.functional as F, einops", ["torch.nn.functional", "einops"]),
        ("    from torch import nn, Tensor  # both", ["torch", "torch.nn"]),
        (
            "from torch.nn import (\n    functional as F,\n    init,\n)",
            ["torch.nn", "torch.nn.functional", "torch.nn.init"],
        ),
        ("import requests, os", ["os"]),
        ("from . import x\nfrom .y import z", []),
        ("o = torch.optim.SGD(p)", ["torch._dynamo"]),
        ("from torch import optim\noptim.Adam(p)", ["torch", "torch.optim", "torch._dynamo"]),
        ("g = torch.func.grad(f)", ["torch._dynamo"]),
        ("important = 1\nfromage = 2", []),
        (b"import \xff\nimport math", ["math"]),
        ("import unittest.__main__, numpy.f2py.tests.util\nfrom torch import testing", ["torch", "torch.testing"]),
    ],
)
def test_imports_are_found(source: str | bytes, needed: list[str]) -> None:
    assert needed_preload([source], ["einops"]) == needed


@pytest.mark.parametrize(
    "piece",
    [
        "from torch import ",
        "import a,",
        "import " + "a." * 50,
        "from torch import (",
        "torch ",
        " \t",
        "from x import a,",
    ],
)
def test_no_text_makes_the_judge_search_for_long(piece: str) -> None:
    text = piece * (256 * 1024 // len(piece))
    started = time.process_time()
    needed_preload([text, text.replace("torch", "torch\n")], [])
    assert time.process_time() - started < 2


@pytest.mark.parametrize("name", ["torch._dynamo", "sympy", "einops.layers", "encodings.idna", "decimal"])
def test_a_child_may_ask_for_what_libraries_import_late(name: str) -> None:
    assert may_be_asked_for(name, ["einops"])


@pytest.mark.parametrize(
    "name",
    [
        *(
            "reference_impl",
            "reference_impl.steps",
            "grader",
            "grader.model",
            "requests",
            "../x",
            "",
            "a b",
            "x" * 5000,
        ),
        *("torch." + "x" * 5000, "unittest.__main__", "numpy.f2py.tests.util", "ctypes.test.test_anon"),
    ],
)
def test_a_child_may_not_ask_for_anything_else(name: str) -> None:
    assert not may_be_asked_for(name, ["einops"])
