"""Signatures: read without running anything."""

from __future__ import annotations

import pytest

from grader.locale import say
from grader.model import Parameter, Signature
from grader.stages.spec.signature import parse_signature


def refusal(text: str) -> str:
    what = parse_signature(text)
    assert not isinstance(what, Signature)
    return say(what, "en")


def test_names_and_defaults_are_kept() -> None:
    given = ("-1", "1e-5", "1_000", "- 0.50", "None", "'a'", "(1, 2)", "True")
    names = tuple("nopqrstu")
    expected = Signature("f", (Parameter("x"), *(Parameter(name, d) for name, d in zip(names, given, strict=True))))
    written = ", ".join(f"{name}={d}" for name, d in zip(names, given, strict=True))
    assert parse_signature(f"f(x, {written})") == expected
    assert parse_signature('f(x, é="b",  n = 1e-5)') == Signature(
        "f", (Parameter("x"), Parameter("é", "'b'"), Parameter("n", "1e-5"))
    )


def test_a_function_may_have_no_parameters() -> None:
    assert parse_signature("f()") == Signature("f", ())


@pytest.mark.parametrize(
    "text",
    ["", "f", "f(x", "f(x): return 1\ndef g()", "f(x): return 1 #", "class f(x)", "f(x):\n  x", "(" * 500, "f(\x00)", "1f(x)"],
)  # fmt: skip
def test_what_is_no_signature_is_called_so(text: str) -> None:
    assert refusal(text).startswith("this is no signature: expected something like `attention(")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(*x)", "`*` and `/` are not allowed in a signature"),
        ("f(x, /)", "`*` and `/` are not allowed in a signature"),
        ("f(x, *, y)", "`*` and `/` are not allowed in a signature"),
        ("f(**x)", "`*` and `/` are not allowed in a signature"),
        ("f(x: int)", "annotations are not allowed in a signature"),
        ("f(x) -> int", "annotations are not allowed in a signature"),
        ("f(x, x)", "the parameter `x` is there twice"),
        ("f(x=print(1))", "a default must be a literal, such as None, True, 0 or 1e-5"),
        ("f(x=y)", "a default must be a literal, such as None, True, 0 or 1e-5"),
    ],
)
def test_what_a_signature_may_not_have_is_named(text: str, expected: str) -> None:
    assert refusal(text) == expected
