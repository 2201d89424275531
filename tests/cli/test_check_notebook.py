"""`grader check` on notebooks: which exercises are in one, where in it something went wrong, and what a bad one gets."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from grader.cli import cli

Run = Callable[..., Result]

SCALE = "def scale_scores(scores, d_k):\n    return scores / root(d_k)"
ROOT = "import math\nimport seaborn\ndef root(d_k):\n    return math.sqrt(d_k)"
MASK = "def causal_mask(n_q, n_k=None, device=None):\n    raise KeyError(n_q)"
PLOTS = "%matplotlib inline\nseaborn.heatmap(scale_scores(1, 2))\nfor step in range(10**12):\n    %time train()"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    kept = Path(os.environ.get("PYTEST_CACHE", "/tmp"), f"grader-tests-{os.getuid()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))

    def check(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["check", *arguments])

    return check


def put(name: str, *cells: str) -> None:
    about = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{**about, "source": s} for s in cells]}
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(json.dumps(notebook))


def results(ran: Result) -> dict[str, Any]:
    assert ran.stdout, ran.output
    return {result["slug"]: result for result in json.loads(ran.stdout)["results"]}


def test_every_function_of_the_course_in_a_notebook_is_graded(run: Run) -> None:
    put("work.ipynb", ROOT, PLOTS, SCALE, PLOTS, MASK)
    ran = run("work.ipynb", "--report", "json")
    assert ran.exit_code == 1, ran.output
    found = results(ran)
    assert {slug: result["verdict"] for slug, result in found.items()} == {
        "scale_scores": "passed",
        "causal_mask": "errored",
    }
    assert "cell 5, line 2, in `causal_mask`, raised KeyError" in found["causal_mask"]["headline"]
    assert found["causal_mask"]["source"][0]["line"] == 2


def test_the_name_of_the_file_or_the_option_asks_for_one(run: Run) -> None:
    put("02_causal_mask.ipynb", MASK, ROOT, SCALE)
    assert list(results(run("02_causal_mask.ipynb", "--report", "json"))) == ["causal_mask"]
    ran = run("02_causal_mask.ipynb", "--exercise", "scale_scores", "--report", "json")
    assert {slug: result["verdict"] for slug, result in results(ran).items()} == {"scale_scores": "passed"}


def test_two_definitions_are_named_and_a_syntax_error_is_placed(run: Run) -> None:
    put("work.ipynb", SCALE, "x = 1", "import math as m\n\ndef root(d_k):\n    return m.sqrt(d_k))", ROOT, SCALE)
    text = run("work.ipynb").stdout
    assert "`scale_scores` is defined in the cells 1, 5: the last one counts, cell 5." in text
    assert "Cell 3 was left out: Python cannot read its line 4 (unmatched ')')." in text
    put("work.ipynb", "x = 1", SCALE + ")")
    assert "Python cannot read line 2 of cell 2: unmatched ')'" in run("work.ipynb").stdout


def test_a_folder_finds_notebooks_by_name(run: Run) -> None:
    put("work/scale_scores.ipynb", ROOT, SCALE)
    found = results(run("work", "--report", "json"))
    assert found["scale_scores"]["verdict"] == "passed"
    assert found["causal_mask"]["verdict"] == "not_submitted"


def test_a_notebook_without_a_function_of_the_course_is_a_usage_error(run: Run) -> None:
    put("work.ipynb", "import math")
    ran = run("work.ipynb")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "work.ipynb defines none of: similarity_scores, scale_scores" in ran.stderr
    ran = run("work.ipynb", "--exercise", "attention")
    assert ran.exit_code == 1
    assert "No cell defines `attention`." in ran.stdout


@pytest.mark.parametrize("arguments", [[], ["--exercise", "attention"]])
def test_a_bad_notebook_is_the_learners_and_gets_one_message(run: Run, arguments: list[str]) -> None:
    Path("work.ipynb").write_text("[" * 100_000)
    ran = run("work.ipynb", *arguments)
    assert ran.exit_code == 1
    assert "nested too deeply" in ran.output
    assert "Traceback" not in ran.output


def test_without_the_extra_it_is_a_usage_error_that_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("work.ipynb", SCALE)
    monkeypatch.setitem(sys.modules, "nbformat", None)
    ran = run("work.ipynb")
    assert ran.exit_code == 2
    assert 'pip install "attention-grader[notebook]"' in ran.stderr
