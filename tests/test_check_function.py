"""`check("attention", attention)` where people write functions: in a script, in a real notebook, and where it cannot work."""

from __future__ import annotations

import functools
import html
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import grader
from grader import check
from grader.interactive import CannotCheck, Checked

ROOT = Path(__file__).resolve().parent.parent

UNIT = 1.0


def root_of(d_k: int) -> float:
    return d_k**0.5 * UNIT


def scale_scores(scores: Any, d_k: int) -> Any:
    return scores / root_of(d_k)


def by_another_name(scores: Any, d_k: int) -> Any:
    raise ValueError("not yet")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Path(os.environ.get("PYTEST_CACHE", "/tmp"), f"grader-tests-{os.getuid()}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))


def test_a_function_of_a_module_is_graded_with_what_it_uses() -> None:
    """This module imports pytest, which no learner's file may: only what the function needs went into the sandbox."""
    found = check("scale_scores", scale_scores)
    assert isinstance(found, Checked)
    assert found.score == found.max_score > 0
    assert [result.slug for result in found.report.results] == ["scale_scores"]
    assert "Correct" in repr(found)
    assert "<" not in repr(found)


def test_an_exception_is_told_with_the_line_of_the_file_whatever_the_function_is_called() -> None:
    found = check("scale_scores", by_another_name, lang="zh")
    assert found.score == 0
    (result,) = found.report.results
    line = by_another_name.__code__.co_firstlineno + 1
    assert [(at, function) for at, function, _ in result.source] == [(line, "by_another_name")]
    assert result.cells == ()
    assert f"第 {line} 行" in repr(found)


def test_the_page_is_a_frame_that_can_do_nothing() -> None:
    page = check("scale_scores", by_another_name)._repr_html_()
    assert page.startswith("<iframe sandbox ")
    assert page.count("<") == 2, "everything but the frame itself is quoted"
    inside = html.unescape(page.split('srcdoc="')[1].split('">')[0])
    assert inside.startswith("<!doctype html>")
    assert "ValueError: not yet" in inside


def test_an_exercise_that_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(CannotCheck, match=r"There is no 'scale_score'\. Did you mean 'scale_scores'\?") as error:
        check("scale_score", scale_scores)
    assert error.value._render_traceback_() == [f"CannotCheck: {error.value}"], (
        "IPython shows this line and nothing else"
    )
    with pytest.raises(CannotCheck, match=r"There are: .*attention"):
        check("zzz", scale_scores)


def test_a_course_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(CannotCheck, match="is no course"):
        check("scale_scores", scale_scores, course=tmp_path)


@pytest.mark.parametrize(
    "thing",
    [3, "scale_scores", None, len, functools.partial(scale_scores), object()],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_function_of_theirs_is_refused(thing: Any) -> None:
    with pytest.raises(CannotCheck, match=r"Pass the function itself, .* check\('scale_scores', scale_scores\)"):
        check("scale_scores", thing)


def test_a_function_without_source_is_refused() -> None:
    made: dict[str, Any] = {}
    exec("def scale_scores(scores, d_k): return scores", made)
    with pytest.raises(CannotCheck, match="source of `scale_scores` cannot be found"):
        check("scale_scores", made["scale_scores"])


def test_a_function_inside_a_function_has_no_source_of_its_own() -> None:
    def inner(scores: Any, d_k: int) -> Any:
        return scores

    with pytest.raises(CannotCheck, match="Define it at the top level"):
        check("scale_scores", inner)


def test_importing_the_package_costs_nothing_and_offers_nothing_else() -> None:
    code = (
        "import sys, grader; print(sorted(m for m in sys.modules if m.split('.')[0] in ('grader', 'torch', 'numpy')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT)
    assert ran.stdout.strip() == "['grader']"
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        grader.chek  # noqa: B018


# ---------------------------------------------------------------- in a real kernel


CELLS = [
    "%matplotlib --list\nimport torch\nfrom grader import check",
    "def root_of(d_k):\n    return d_k",
    "def scale_scores(scores, d_k):\n    return scores / root_of(d_k)\nscale_scores(torch.ones(2), 4)",
    "first = check('scale_scores', scale_scores)\nfirst",
    "!echo in between\ndef root_of(d_k):\n    return d_k ** 0.5",
    "check('scale_scores', scale_scores)",
    "def scale_scores(scores, d_k):\n    if d_k:\n        raise KeyError('<b>bold</b>')",
    "check('scale_scores', scale_scores)",
    "check('scale_score', scale_scores)",
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The outputs of each cell, after a kernel of its own has run them in order."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("XDG_CACHE_HOME", str(Path("/tmp", f"grader-tests-{os.getuid()}")))
        client = nbclient.NotebookClient(
            notebook,
            timeout=90,
            kernel_name="python3",
            allow_errors=True,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute()
    return [cell.outputs for cell in notebook.cells]


def shown(outputs: Any) -> tuple[str, str]:
    """The text and the page of the one result among the outputs of a cell."""
    (result,) = [output for output in outputs if output.output_type == "execute_result"]
    return result.data["text/plain"], html.unescape(result.data["text/html"])


def test_a_notebook_shows_the_report_as_a_page_and_as_text(executed: list[Any]) -> None:
    text, page = shown(executed[3])
    assert page.startswith("<iframe sandbox ")
    assert "<!doctype html>" in page
    assert "0/5" in page
    assert text.startswith("✗")


def test_the_definitions_that_count_are_those_of_now(executed: list[Any]) -> None:
    """A helper was written again in a later cell; the function that uses it was not."""
    text, page = shown(executed[5])
    assert "5/5" in text
    assert "5/5" in page


def test_a_message_points_at_cell_and_line_and_nothing_of_the_learners_is_markup(executed: list[Any]) -> None:
    text, page = shown(executed[7])
    assert "cell 7, line 3, in `scale_scores`, raised KeyError" in text
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page


def test_an_error_of_use_is_one_line(executed: list[Any]) -> None:
    (error,) = executed[8]
    assert error.ename == "CannotCheck"
    assert error.traceback == ["CannotCheck: There is no 'scale_score'. Did you mean 'scale_scores'?"]
