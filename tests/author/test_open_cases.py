"""What an exercise file keeps without its hidden cases, where it describes a module."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.author.release.open_cases import open_data
from grader.stages.spec import load_exercise

MODULE = """\
title: {en: T, zh: 题}
points: 1
prompt: {en: P, zh: 题}
signature: Linear(width, extra=1)
forward: forward(x)
build: {width: {size: D}, extra: {value: 777}}
state: {weight: {normal: [D, D], scale: 777}}
call: {x: {normal: [T, D], scale: 777}}
reference: linear
returns: [T, D]
cases:
  - {name: open, T: 2, D: 3, OPEN}
  - {name: held back, T: 4, D: 5, hidden: true}
checks: [shape]
"""


@pytest.mark.parametrize(
    ("opened", "changed"),
    [
        ("weight: 1", {}),
        ("inputs: {x: {normal: [T, D]}}", {"call": {"x": {"normal": ["T", "D"]}}}),
        ("state: {weight: {normal: [D, D]}}", {"state": {"weight": {"normal": ["D", "D"]}}}),
        ("build: {extra: {value: 2}}", {"build": {"width": {"size": "D"}, "extra": {"value": 2}}}),
    ],
)
def test_each_part_of_a_module_keeps_what_open_cases_draw(tmp_path: Path, opened: str, changed: object) -> None:
    text = MODULE.replace("OPEN", opened)
    (tmp_path / "01_linear.yaml").write_text(text, encoding="utf-8")
    data, exercise = yaml.safe_load(text), load_exercise(tmp_path / "01_linear.yaml")
    found = open_data(data, exercise)
    assert [case["name"] for case in found["cases"]] == ["open"]
    assert {part: found[part] for part in ("call", "build", "state") if found[part] != data[part]} == changed
