"""What a workspace holds, what it remembers, and what it never overwrites."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_course import course, exercise

from grader.course import workspace
from grader.model import SIZES, Result, Verdict
from grader.stages.spec import load_exercise

SHEETS = {"recall": "quiz: recall\nanswers: {}\n"}


def result(slug: str, verdict: Verdict, score: float = 0.0) -> Result:
    return Result("exercise", slug, {"en": slug, "zh": slug}, verdict, score, 2.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace.create(tmp_path / "work", course(), SHEETS, "en")
    return tmp_path / "work"


def test_a_workspace_has_a_file_for_each_exercise_and_quiz_and_a_readme_in_order(root: Path) -> None:
    assert sorted(p.name for p in root.iterdir()) == [".grader", "README.md", "alpha.py", "beta.py", "recall.yaml"]
    readme = (root / "README.md").read_text()
    assert readme.index("alpha.py") < readme.index("beta.py") < readme.index("recall.yaml")


def test_nothing_is_written_when_one_of_the_files_is_there(tmp_path: Path) -> None:
    (tmp_path / "beta.py").write_text("mine")
    with pytest.raises(workspace.WorkExists) as caught:
        workspace.create(tmp_path, course(), SHEETS, "en")
    assert caught.value.names == ("beta.py",)
    assert [p.name for p in tmp_path.iterdir()] == ["beta.py"]
    assert (tmp_path / "beta.py").read_text() == "mine"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_starter_is_python_that_explains_and_does_not_solve(lang: str) -> None:
    item = exercise("alpha")
    function = next(node for node in ast.parse(workspace.starter(item, lang)).body if isinstance(node, ast.FunctionDef))
    assert ast.unparse(function.args) == "x, mask=None"
    assert item.prompt[lang].splitlines()[0] in (ast.get_docstring(function) or "")
    assert isinstance(function.body[-1], ast.Raise)
    assert len(function.body) == 2


def test_a_starter_survives_backslashes_and_quotes_in_the_prompt() -> None:
    text = 'Return \\frac{1}{2}, not """this""", nor a trailing quote: "x"'
    item = replace(exercise("alpha"), prompt={"en": text, "zh": text})
    function = next(n for n in ast.parse(workspace.starter(item, "en")).body if isinstance(n, ast.FunctionDef))
    assert "\\frac{1}{2}" in (ast.get_docstring(function) or "")


def test_a_starter_imports_torch_only_when_tensors_are_asked_for() -> None:
    assert "import torch" in workspace.starter(exercise("alpha"), "en")
    assert "torch" not in workspace.starter(replace(exercise("alpha"), returns={"": SIZES}), "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_starter_is_told_from_work_whatever_its_language_and_prompt(lang: str) -> None:
    item = exercise("alpha")
    text = workspace.starter(item, lang)
    older = text.replace(item.prompt[lang].splitlines()[0], "an older prompt").replace("\n", "\r\n")
    assert workspace.untouched(item, text.encode())
    assert workspace.untouched(item, older.encode())
    for begun in (text.replace("raise NotImplementedError", "return x"), text + "\nx = 1\n", text.replace("mask", "m")):
        assert not workspace.untouched(item, begun.encode())


def test_the_starter_of_a_module_is_told_from_work() -> None:
    item = load_exercise(Path(__file__).parents[2] / "exercises" / "24_multi_head_attention_module.yaml")
    text = workspace.starter(item, "zh")
    assert workspace.untouched(item, text.encode())
    assert not workspace.untouched(item, text.replace("raise NotImplementedError", "pass", 1).encode())


def test_a_file_that_is_the_starter_again_is_forgotten_and_a_missing_one_is_not(root: Path) -> None:
    workspace.record(root, [result("alpha", Verdict.PASSED, 2.0), result("beta", Verdict.FAILED)])
    nothing = result("alpha", Verdict.NOT_SUBMITTED)
    workspace.record(root, [nothing])
    assert set(workspace.read_progress(root).standings) == {"alpha", "beta"}
    workspace.record(root, [replace(nothing, path="alpha.py")])
    assert set(workspace.read_progress(root).standings) == {"beta"}


def test_the_workspace_is_found_from_a_file_or_folder_inside_it(root: Path, tmp_path: Path) -> None:
    (root / "notes").mkdir()
    assert workspace.find_workspace(root / "notes") == root
    assert workspace.find_workspace(root / "alpha.py") == root
    assert workspace.find_workspace(tmp_path) is None


def test_results_are_remembered_and_a_fault_of_ours_does_not_replace_them(root: Path) -> None:
    workspace.record(root, [result("alpha", Verdict.PASSED, 2.0), result("beta", Verdict.FAILED)])
    workspace.record(root, [result("alpha", Verdict.GRADER_ERROR), result("beta", Verdict.NOT_SUBMITTED)])
    standings = workspace.read_progress(root).standings
    assert standings["alpha"] == workspace.Standing("passed", 2.0, 2.0)
    assert standings["beta"].verdict == "failed"


def test_hints_are_counted_beside_the_results(root: Path) -> None:
    workspace.record(root, [result("alpha", Verdict.PASSED, 2.0)])
    workspace.record_hint(root, "alpha", 2)
    workspace.record_hint(root, "alpha", 1)  # read again: the count does not go back
    assert workspace.read_progress(root).hints == {"alpha": 2}
    assert workspace.read_progress(root).standings["alpha"].score == 2.0


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "[" * 100_000),
        *('{"standings": {"alpha": {"x": 1}}, "hints": {}}', '{"standings": 3, "hints": {}}'),
        '{"standings": {"alpha": {"verdict": "passed", "score": "a", "max_score": 1}}, "hints": {}}',
        '{"standings": {"alpha": {"verdict": "passed", "score": 1e400, "max_score": 1}}, "hints": {}}',
        '{"standings": {"alpha": {"verdict": ["x"], "score": 1, "max_score": 1}}, "hints": {}}',
        '{"standings": {}, "hints": {"alpha": 1e400}}',
    ],
)
def test_a_broken_memory_counts_as_none(root: Path, text: str) -> None:
    (root / ".grader" / "progress.json").write_text(text)
    assert workspace.read_progress(root) == workspace.Progress()


def test_no_fewer_than_no_hints_are_remembered(root: Path) -> None:
    (root / ".grader" / "progress.json").write_text('{"standings": {}, "hints": {"alpha": -5}}')
    assert workspace.read_progress(root).hints == {"alpha": 0}


def test_a_reset_keeps_every_earlier_file(root: Path) -> None:
    (root / "alpha.py").write_text("first")
    assert workspace.reset(root, "alpha.py", "new") == root / ".grader" / "backups" / "alpha.py.1"
    (root / "alpha.py").write_text("second")
    assert workspace.reset(root, "alpha.py", "new") == root / ".grader" / "backups" / "alpha.py.2"
    assert [(root / ".grader/backups" / f"alpha.py.{n}").read_text() for n in (1, 2)] == ["first", "second"]
    assert (root / "alpha.py").read_text() == "new"


def test_a_reset_of_a_missing_file_writes_it(root: Path) -> None:
    (root / "alpha.py").unlink()
    assert workspace.reset(root, "alpha.py", "new") is None
    assert (root / "alpha.py").read_text() == "new"
