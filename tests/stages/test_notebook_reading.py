"""The bytes of a notebook: its code cells come out, or one sentence that says why not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.locale import say
from grader.stages.intake import Refused
from grader.stages.notebook import MissingExtra, read_cells, read_notebook
from grader.stages.notebook.magics import python_lines
from grader.stages.notebook.reading import MAX_NOTEBOOK_BYTES, cells_of


def code(source: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source, **more}


def notebook(*cells: Any, **more: Any) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def refused(data: bytes) -> str:
    with pytest.raises(Refused) as error:
        cells_of(data)
    return say(error.value.why, "en")


def test_code_cells_are_numbered_among_themselves_and_others_are_passed_over() -> None:
    text = {"cell_type": "markdown", "metadata": {}, "source": "# def f(): pass"}
    found = cells_of(notebook(code("a = 1"), text, code(["b = 1\n", "c = 2"]), {"cell_type": "raw", "source": "x"}))
    assert [(cell.number, cell.lines) for cell in found] == [(1, ("a = 1",)), (2, ("b = 1", "c = 2"))]


def test_the_tag_solution_is_seen_and_any_other_is_not() -> None:
    found = cells_of(
        notebook(code("a", metadata={"tags": ["solution", 3]}), code("b", metadata={"tags": ["x"]}), code("c"))
    )
    assert [cell.solution for cell in found] == [True, False, False]


def test_a_notebook_of_format_3_is_upgraded() -> None:
    cell = {"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"], "outputs": [], "collapsed": True}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [cell]}]}
    assert [cell.lines for cell in cells_of(json.dumps(old).encode())] == [("a = 1", "b = 2")]


@pytest.mark.parametrize(
    "hostile",
    [
        {"metadata": []},
        {"metadata": {"kernelspec": 7, "tags": {"a": "b"}}},
        {"metadata": {"widgets": {"x": ["y"] * 1000}}},
        {"nbformat_minor": "many"},
    ],
    ids=str,
)
def test_hostile_metadata_is_not_even_looked_at(hostile: dict[str, Any]) -> None:
    assert [cell.lines for cell in cells_of(notebook(code("a"), **hostile))] == [("a",)]


@pytest.mark.parametrize(
    "more", [{"outputs": 7}, {"metadata": "x"}, {"execution_count": {}}, {"outputs": ["y" * 10**6]}]
)
def test_hostile_cells_are_taken_for_their_source(more: dict[str, Any]) -> None:
    assert [cell.lines for cell in cells_of(notebook(code("a", **more)))] == [("a",)]


BAD = {
    "empty": (b"", "line 1 is not JSON"),
    "python": (b"def f():\n    pass\n", "line 1 is not JSON"),
    "cut": (notebook(code("a")).replace(b", ", b",\n")[:60], "is not JSON"),
    "list root": (b"[]", "not a notebook"),
    "number root": (b"7", "not a notebook"),
    "huge number": (b"[" + b"9" * 5000 + b"]", "not a notebook"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "deep in metadata": (b'{"metadata": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, "nested too deeply"),
    "utf-16": (notebook(code("a")).decode().encode("utf-16"), "not UTF-8"),
    "no cells": (b'{"nbformat": 4, "metadata": {}}', "because of its cells."),
    "cells that are none": (notebook().replace(b'"cells": []', b'"cells": {"a": 1}'), "because of its cells."),
    "a source that is none": (notebook(code("a"), code([1, 2])), "because of its cell 2."),
    "no source": (notebook({"cell_type": "code"}), "because of its cell 1."),
    "worksheets that are none": (b'{"nbformat": 3, "worksheets": 3}', "because of its worksheets."),
    "format 99": (notebook(code("a"), nbformat=99), "because of its nbformat 99."),
    "format that is none": (notebook(code("a"), nbformat="4; rm"), "because of its nbformat '4; rm'."),
    "another language": (notebook(metadata={"kernelspec": {"language": "R"}}), "written in R, not in Python"),
    "much code": (notebook(code("a = 1\n" * 50_000)), "larger than 256 KB"),
}


@pytest.mark.parametrize(("data", "said"), BAD.values(), ids=BAD.keys())
def test_a_notebook_that_is_none_gets_one_sentence(data: bytes, said: str) -> None:
    found = refused(data)
    assert said in found
    assert "\n" not in found


def test_a_notebook_of_more_than_5_mb_is_refused_and_one_with_big_outputs_below_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    path.write_bytes(notebook(code("a", outputs=[{"text": "y" * 4_000_000}])))
    assert [cell.lines for cell in read_cells(path)] == [("a",)]
    path.write_bytes(b" " * (MAX_NOTEBOOK_BYTES + 1))
    with pytest.raises(Refused) as error:
        read_cells(path)
    assert error.value.why.fields == {"mb": 5}


def test_one_submission_for_each_function_or_one_with_the_problem(tmp_path: Path) -> None:
    functions = {"one": "f", "two": "g", "three": "h"}
    path = tmp_path / "work.ipynb"
    path.write_bytes(notebook(code("def g(): pass\ndef f(): pass")))
    assert [each.slug for each in read_notebook(path, "work.ipynb", functions)] == ["one", "two"]
    assert [each.source for each in read_notebook(path, "work.ipynb", functions, "two")] == [b"def g(): pass\n"]
    path.write_bytes(b"[]")
    (broken,) = read_notebook(path, "work.ipynb", functions, "two")
    assert broken.problem is not None
    with pytest.raises(Refused):
        read_notebook(path, "work.ipynb", functions)


# ---------------------------------------------------------------- magics


def neutral(source: str) -> list[str]:
    lines = tuple(source.split("\n"))
    found = python_lines(lines)
    assert len(found) == len(lines)
    compile("\n".join(found), "cell", "exec")
    return [line for line in found if line.strip() and not line.lstrip().startswith(("#", "pass  # "))]


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "!pip install torch",
        "!pip install \\\n   torch",
        "torch.softmax?",
        "?torch.softmax",
        "files = !ls",
        "    %timeit f()".strip(),
        "%config InlineBackend.figure_format = 'retina'",
        "ls",
    ],
)
def test_magics_shell_commands_and_questions_become_comments(magic: str) -> None:
    assert [line for line in neutral(f"{magic}\n%load_ext x\ndef f(): pass") if line != "ls"] == ["def f(): pass"]


def test_a_loop_around_a_magic_is_still_a_loop() -> None:
    assert neutral("for n in range(3):\n    %timeit f(n)\ndef f(n): pass") == ["for n in range(3):", "def f(n): pass"]


@pytest.mark.parametrize("magic", ["%%bash", "%%writefile f.py", "%%html", "%%javascript", "%%timeit", "%%"])
def test_a_cell_in_another_language_is_nothing(magic: str) -> None:
    assert neutral(f"\n{magic}\ndef f(): pass") == []


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%prun -l 5"])
def test_a_cell_that_is_only_watched_is_python(magic: str) -> None:
    assert neutral(f"{magic}\ndef f(): pass") == ["def f(): pass"]


def test_what_is_python_stays_as_it_is() -> None:
    lines = ("x = (7", "  %b)", 's = """', "%time", '!ls"""')
    assert python_lines(lines) == lines


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    with pytest.raises(MissingExtra, match=r'pip install "attention-grader\[notebook\]"'):
        cells_of(notebook(code("a")))
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "jupytext.magics", None)
    assert cells_of(notebook(code("a")))
    with pytest.raises(MissingExtra):
        cells_of(notebook(code("%a")))
