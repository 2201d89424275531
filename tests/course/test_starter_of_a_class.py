"""The starter of a module is a class with its two methods; `grader show` shows how it begins."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.cli.learner import exercise_text
from grader.course.workspace import starter
from grader.stages.spec import load_exercise

MODULE = load_exercise(Path(__file__).parents[2] / "exercises" / "24_multi_head_attention_module.yaml")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_starter_has_both_methods_and_solves_nothing(lang: str) -> None:
    tree = ast.parse(starter(MODULE, lang))
    (made,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert (made.name, ast.unparse(made.bases[0])) == ("MultiHeadAttention", "nn.Module")
    assert MODULE.prompt[lang].splitlines()[0] in (ast.get_docstring(made) or "")
    methods = [node for node in made.body if isinstance(node, ast.FunctionDef)]
    assert [ast.unparse(method.args) for method in methods] == [
        "self, d_model, n_heads, dropout=0.0",
        "self, query, key, value, mask=None",
    ]
    assert all(isinstance(method.body[-1], ast.Raise) for method in methods)


def test_a_starter_can_be_loaded_and_built_up_to_what_is_missing() -> None:
    space: dict[str, type] = {}
    exec(starter(MODULE, "en"), space)
    with pytest.raises(NotImplementedError):
        space["MultiHeadAttention"](d_model=4, n_heads=2)


def test_what_is_asked_for_is_shown_with_both_methods() -> None:
    assert exercise_text(MODULE, "en")[0].splitlines() == [
        "class MultiHeadAttention(nn.Module)",
        "    def __init__(self, d_model, n_heads, dropout=0.0)",
        "    def forward(self, query, key, value, mask=None)",
    ]
