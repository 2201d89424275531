"""An argument that is the result of an earlier case needs that case: before it, open if it is open, with such a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model import AuthorError, ResultOf
from grader.stages.plan import plan
from grader.stages.spec import load_exercise

STEPS = """\
title: {en: Small, zh: 小}
points: 1
prompt: {en: Do it., zh: 做吧。}
signature: grow(old, new)
reference: grow
inputs:
  old: {normal: [P, D]}
  new: {normal: [T, D]}
returns: {total: [D], all: [S, D]}
cases:
  - {name: first, P: 2, T: 3, S: 5, D: 4}
  - {name: second, T: 1, S: 6, D: 4, inputs: {old: {result_of: first.all}}}
  - {name: secret, P: 2, T: 3, S: 5, D: 4, hidden: true}
checks: [shape]
"""


def write(tmp_path: Path, old: str = "", new: str = "") -> Path:
    path = tmp_path / "01_grow.yaml"
    assert old in STEPS
    path.write_text(STEPS.replace(old, new) if old else STEPS, encoding="utf-8")
    return path


def test_the_plan_asks_for_the_call_of_the_same_precision(tmp_path: Path) -> None:
    calls = {call.id: call for call in plan(load_exercise(write(tmp_path))).calls}
    assert calls["second/graded"].arguments["old"] == ResultOf("first/graded", "all")
    assert calls["second/diagnosis"].arguments["old"] == ResultOf("first/diagnosis", "all")


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("firsd.all", "no case named `firsd` comes before the case `second` — did you mean `first`?"),
        ("second.all", "no case named `second` comes before the case `second`"),
        ("secret.all", "no case named `secret` comes before the case `second`"),
        ("first.alle", "the exercise has no result `alle` — did you mean `all`?"),
        ("first", "the case `first` has several results: write `first.total`"),
    ],
)
def test_a_result_that_cannot_be_had_is_named_at_its_place(tmp_path: Path, new: str, said: str) -> None:
    with pytest.raises(AuthorError) as caught:
        load_exercise(write(tmp_path, "result_of: first.all", f"result_of: {new}"), "f.yaml")
    (problem,) = caught.value.problems
    assert problem.startswith("f.yaml:12:")
    assert said in problem


def test_an_open_case_cannot_take_what_a_hidden_one_gives(tmp_path: Path) -> None:
    path = write(tmp_path, "S: 5, D: 4}\n  - {name: second", "S: 5, D: 4, hidden: true}\n  - {name: second")
    with pytest.raises(AuthorError, match="the case `first` is hidden"):
        load_exercise(path, "f.yaml")


def test_a_case_that_raises_has_no_result(tmp_path: Path) -> None:
    path = write(tmp_path, "S: 5, D: 4}\n  - {name: second", "S: 5, D: 4, raises: ValueError}\n  - {name: second")
    with pytest.raises(AuthorError, match="has no result: it raises"):
        load_exercise(path, "f.yaml")
