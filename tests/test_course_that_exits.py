"""Code of a course that would end the program: every command says where it stands, and none takes it for success."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import cli
from grader.course.batch.tasks import course_at
from grader.model import GraderError
from grader.stages.ended import unended
from grader.stages.expect import forget_reference

KNN = Path(__file__).parent / "courses" / "knn"
ENDS = {"exit": "import sys; sys.exit(0)", "base": "raise BaseException(1)", "quit": "quit()"}


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(KNN, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


def put(course: Path, file: str, before: str, line: str) -> str:
    """Put a line of code into a file of the course and return its place."""
    text = (course / file).read_text()
    head, found, rest = text.partition(before)
    assert found
    indent = " " * (len(before) - len(before.lstrip(" ")))
    (course / file).write_text(f"{head}{indent}{line}\n{found}{rest}")
    forget_reference(course)
    course_at.cache_clear()
    return f"{file}:{head.count(chr(10)) + 1}"


def refused(place: str, *words: object) -> None:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 3, result.output
    assert place in result.output
    assert "Traceback" not in result.output


COMMANDS = [
    ("author", "verify", "vote"),
    ("author", "preview", "vote"),
    ("author", "mutate", "vote"),
    ("course", "release", "released", "--for", "learner"),
]


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize(
    ("file", "before"),
    [("kinds/labels.py", "@input_kind"), ("reference_impl/steps.py", "CORRECT =")],
)
def test_a_file_of_the_course_that_ends_the_program_is_named(copy: Path, file: str, before: str, end: str) -> None:
    refused(put(copy, file, before, end), "author", "verify", "vote", "--course", copy)


@pytest.mark.parametrize(
    ("file", "before"),
    [
        ("kinds/labels.py", "@input_kind"),
        ("kinds/labels.py", "        shape = self.shape"),
        ("reference_impl/steps.py", "CORRECT ="),
        ("reference_impl/__init__.py", "    return steps.elected"),
    ],
)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_takes_it_for_success(copy: Path, words: tuple[str, ...], file: str, before: str) -> None:
    place = put(copy, file, before, ENDS["exit"])
    result = CliRunner().invoke(cli, [*words, "--course", str(copy)])
    assert result.exit_code in (1, 3), result.output
    assert place in result.output
    assert "Traceback" not in result.output


def test_doctor_names_the_line_too(copy: Path) -> None:
    place = put(copy, "reference_impl/steps.py", "CORRECT =", ENDS["exit"])
    result = CliRunner().invoke(cli, ["author", "doctor", "--course", str(copy)])
    assert result.exit_code != 0
    assert place in result.output


def test_a_class_is_graded_to_its_end_and_the_line_is_kept(copy: Path) -> None:
    place = put(copy, "reference_impl/__init__.py", "    return steps.elected", ENDS["exit"])
    for name in ("ada", "bob"):
        (copy.parent / "in" / name).mkdir(parents=True)
        (copy.parent / "in" / name / "vote.py").write_text("def vote(neighbours, labels):\n    return labels\n")
    words = ["course", "grade", "in", "--out", "out", "--exercise", "vote", "--course", str(copy)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 3, result.output
    kept = [path.read_text() for path in (copy.parent / "out").rglob("*.md")]
    assert place in result.output or any(place in text for text in kept)


def test_what_the_user_interrupts_stays_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt), unended():
        raise KeyboardInterrupt


def test_what_a_function_raises_passes_through_and_an_end_does_not() -> None:
    with pytest.raises(ZeroDivisionError), unended():
        1 / 0  # noqa: B018
    with pytest.raises(GraderError, match=r"test_course_that_exits\.py:\d+: SystemExit: 0"), unended():
        raise SystemExit(0)
