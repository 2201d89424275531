"""What of a notebook is taken to call a function: all that it uses, and nothing else."""

from __future__ import annotations

import pytest

from grader.locale import say
from grader.model import Submission
from grader.stages.notebook import Cell, notebook_of, submission_from
from grader.stages.notebook.choosing import defined


def cells(*sources: str, solution: int = 0) -> list[Cell]:
    return [Cell(n, tuple(source.split("\n")), n == solution) for n, source in enumerate(sources, 1)]


def taken(*sources: str, function: str = "f", solution: int = 0) -> Submission:
    return submission_from(notebook_of(cells(*sources, solution=solution)), "slug", function, "work.ipynb")


def program(*sources: str, solution: int = 0) -> list[str]:
    """The lines that are left, without those that were emptied."""
    found = taken(*sources, solution=solution)
    assert found.problem is None
    return [line for line in found.source.decode().split("\n") if line]


def test_a_function_brings_what_it_uses_and_what_that_uses() -> None:
    assert program(
        "import math\nimport matplotlib.pyplot as plt",
        "def g(x):\n    return math.sqrt(x) * SCALE",
        "BASE = 2\nSCALE = BASE + 1\nOTHER = 5",
        "def f(x):\n    return g(x)",
        "plt.plot(f(3))",
    ) == [
        "import math",
        "def g(x):",
        "    return math.sqrt(x) * SCALE",
        "BASE = 2",
        "SCALE = BASE + 1",
        "def f(x):",
        "    return g(x)",
    ]


def test_each_line_keeps_its_place_and_its_cell() -> None:
    found = taken("import os\n\nimport math", "print(1)\ndef f():\n    return math.pi")
    assert found.source.decode() == "\n\nimport math\n\ndef f():\n    return math.pi\n"
    assert found.cells == ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3))


@pytest.mark.parametrize(
    "trial",
    [
        "for step in range(10):\n    scores = f(step)",
        "while True:\n    pass",
        "with open('data') as file:\n    scores = file.read()",
        "scores = f(1)",
        "assert f(1) == 2",
        "f(1)",
    ],
)
def test_training_trials_and_plots_are_not_run(trial: str) -> None:
    """`scores` is a local variable of the function: that a trial outside has one of that name means nothing."""
    function = ["def f(x):", "    scores = x + 1", "    return scores"]
    assert program(trial, "\n".join(function), trial) == function


def test_decorators_defaults_annotations_and_bases_come_along() -> None:
    assert program(
        "from functools import lru_cache as cached\nfrom typing import Any as T\nD = 4\nclass Base: pass",
        "class Shape(Base):\n    size = D",
        "@cached\ndef f(x: T, d=Shape.size):\n    return x",
    )[:4] == ["from functools import lru_cache as cached", "from typing import Any as T", "D = 4", "class Base: pass"]


def test_a_comprehension_runs_at_once_and_a_lambda_does_not() -> None:
    lines = program("n = 1", "xs = [n for _ in range(3)]\ng = lambda: n", "n = 2", "def f():\n    return xs, g()")
    assert lines == ["n = 1", "xs = [n for _ in range(3)]", "g = lambda: n", "n = 2", "def f():", "    return xs, g()"]


def test_what_a_constant_is_made_with_is_what_was_there_before_it() -> None:
    lines = program("def make():\n    return n\nn = 1", "x = make()", "n = 2", "def f():\n    return x")
    assert [line for line in lines if line.startswith("n")] == ["n = 1", "n = 2"]


@pytest.mark.parametrize(
    "change",
    ["x += 1", "x = x + 1", "x[0] = 1", "x.a.b = 1", "if True:\n    x = 2", "try:\n    x = 3\nexcept OSError: pass"],
)
def test_what_only_changes_a_name_keeps_what_was_before(change: str) -> None:
    assert program("x = [0]", change, "def f():\n    return x")[:2] == ["x = [0]", change.split("\n")[0]]


def test_a_name_that_is_set_anew_forgets_what_was_before() -> None:
    assert program("import secret\nx = secret.y", "x, z = 2, 3", "def f():\n    return x")[0] == "x, z = 2, 3"


def test_a_module_and_a_part_of_it_are_both_kept() -> None:
    lines = program("import os.path", "import os", "def f():\n    return os")
    assert lines[:2] == ["import os.path", "import os"]


def test_a_star_import_is_kept_only_for_a_name_that_nothing_else_gives() -> None:
    star = "from math import *"
    assert program(star, "def f(x):\n    return sqrt(x)")[0] == star
    assert star not in program(star, "def f(x):\n    return abs(x)")


def test_a_future_import_comes_first_whatever_cell_it_is_in() -> None:
    found = taken("import math", "from __future__ import annotations\ndef f(x: Nowhere):\n    return math.pi")
    assert found.source.decode().split("\n")[:2] == ["from __future__ import annotations", "import math"]
    assert found.cells[:3] == ((2, 1), (1, 1), (2, 1))
    compile(found.source, "work", "exec")


def test_statements_that_share_a_line_stay_together() -> None:
    assert program("a = 1; b = 2", "def f(): return a")[0] == "a = 1; b = 2"


# ---------------------------------------------------------------- which definition counts


def test_the_last_definition_counts_and_both_cells_are_named() -> None:
    found = taken("def f():\n    return 1", "def g():\n    return 1", "def f():\n    return 2")
    assert b"return 2" in found.source
    assert b"return 1" not in found.source
    (remark,) = found.remarks
    assert say(remark, "en") == "`f` is defined in the cells 1, 3: the last one counts, cell 3."


def test_a_helper_that_is_there_twice_is_named_and_a_repeated_import_is_not() -> None:
    found = taken(
        "import math\ng = 1\nunused = 1", "import math\ng = 2\nunused = 2", "def f():\n    return math.pi + g"
    )
    assert [remark.fields["name"] for remark in found.remarks] == ["g"]


def test_the_tag_solution_chooses_between_cells() -> None:
    first, second = "def f():\n    return g()", "def f():\n    return 2"
    helper = "def g():\n    return 1"
    assert program(helper, first, second, solution=2) == [*helper.split("\n"), *first.split("\n")]
    assert taken(helper, first, second, solution=2).remarks == ()
    assert program(helper, first, second, solution=1) == second.split("\n")


def test_the_functions_of_tagged_cells_are_the_ones_meant() -> None:
    sources = ("def f(): pass", "def g(): pass")
    assert defined(notebook_of(cells(*sources)), ["g", "f", "h"]) == ("g", "f")
    assert defined(notebook_of(cells(*sources, solution=1)), ["g", "f", "h"]) == ("f",)


# ---------------------------------------------------------------- what is wrong


def test_a_cell_that_is_no_python_is_left_out_and_named() -> None:
    found = taken("def f():\n    return 1", "def oops(:\n    pass")
    assert found.source == b"def f():\n    return 1\n"
    (remark,) = found.remarks
    assert (remark.fields["cell"], remark.fields["at"]) == (2, 1)


def test_a_broken_cell_that_holds_the_function_is_handed_on_for_python_to_say_where() -> None:
    found = taken("x = 1", "def f():\n    return (1", "y = 2")
    assert found.problem is None
    with pytest.raises(SyntaxError) as error:
        compile(found.source, "work", "exec")
    assert found.cells[(error.value.lineno or 0) - 1] == (2, 2)


def test_a_broken_cell_that_was_written_again_does_not_matter() -> None:
    assert program("def f():\n    return (1", "def f():\n    return 1") == ["def f():", "    return 1"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def attention(): pass", "Did you mean `attention`?"),
        ("def nothing(): pass\nx = 1", "Defined are: nothing, x"),
        ("import torch", "No cell defines `attentoin`."),
    ],
)
def test_a_function_that_is_not_there_is_answered_with_what_is(source: str, said: str) -> None:
    problem = taken(source, function="attentoin").problem
    assert problem is not None
    assert said in say(problem, "en")


DEEP = {
    "parentheses": "x = " + "(" * 9000 + ")" * 9000,
    "minus signs": "x = " + "-" * 100_000 + "1",
    "a sum": "x = 1" + "+1" * 60_000,
    "attributes": "x = a" + ".a" * 60_000,
    "elif": "if 1: pass\n" + "elif 1: pass\n" * 3000,
    "digits": "x = " + "9" * 100_000,
    "a NUL": "x = '\0'",
}


@pytest.mark.parametrize("hostile", DEEP.values(), ids=DEEP.keys())
def test_hostile_source_costs_its_own_cell(hostile: str) -> None:
    assert program(hostile, "def f():\n    return 1") == ["def f():", "    return 1"]


def test_definitions_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    helpers = "\n".join(f"def g{n}(): return g{n + 1}()" for n in range(60))
    assert taken(helpers, "def f(): return g0()").problem is None
    monkeypatch.setattr("grader.stages.notebook.choosing.MOST_STEPS", 50)
    problem = taken(helpers, "def f(): return g0()").problem
    assert problem is not None
    assert "too many definitions" in problem.template
