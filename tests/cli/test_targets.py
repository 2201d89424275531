"""Which file is which exercise or quiz, and what is said where that cannot be known."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_course import course

from grader.cli.stop import Stop, some
from grader.cli.targets import Finder, must_exist
from grader.model import Response

Found = list[tuple[str, str | None]]


def read_answers(path: Path, shown: str) -> Response:
    text = path.read_text()
    if text == "broken":
        return Response(shown, None, {}, ("line 1: not YAML",))
    return Response(shown, text or None, {})


@pytest.fixture
def find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Found]:
    monkeypatch.chdir(tmp_path)

    def run(*paths: str, exercise: str | None = None) -> Found:
        finder = Finder(course(), exercise, read_answers, "en")
        return [(t.slug, str(t.path) if t.path else None) for t in finder.targets(map(Path, paths))]

    return run


def put(*names: str, text: str = "") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


@pytest.mark.parametrize("name", ["alpha.py", "04_alpha.py", "4-alpha.py"])
def test_a_file_name_tells_the_exercise(find: Callable[..., Found], name: str) -> None:
    assert find(name) == [("alpha", name)]


def test_the_option_tells_what_the_name_does_not(find: Callable[..., Found]) -> None:
    assert find("mine.py", exercise="beta") == [("beta", "mine.py")]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("alhpa.py", "rename it, or add --exercise alpha"),
        ("zzz.py", "one of: alpha, beta"),
        ("alpha.txt", "is no file to grade"),
    ],
)
def test_a_file_that_is_no_exercise_is_a_usage_error(find: Callable[..., Found], path: str, said: str) -> None:
    put(path)
    with pytest.raises(Stop) as stop:
        find(path)
    assert said in stop.value.message
    assert stop.value.exit_code == 2


def test_an_unknown_exercise_is_answered_with_the_nearest(find: Callable[..., Found]) -> None:
    with pytest.raises(Stop, match="Did you mean 'alpha'"):
        find("alpha.py", exercise="alpah")


def test_a_sheet_is_told_by_its_key_before_its_name(find: Callable[..., Found]) -> None:
    put("monday.yaml", text="recall")
    put("recall.yaml")
    assert find("monday.yaml", "recall.yaml") == [("recall", "monday.yaml"), ("recall", "recall.yaml")]


def test_a_sheet_of_no_quiz_is_a_usage_error_and_a_broken_one_is_not(find: Callable[..., Found]) -> None:
    put("monday.yaml", text="recal")
    put("broken.yaml", text="broken")
    with pytest.raises(Stop, match="Did you mean 'recall'") as stop:
        find("monday.yaml")
    assert stop.value.exit_code == 2
    with pytest.raises(Stop, match="line 1: not YAML") as stop:
        find("broken.yaml")
    assert stop.value.exit_code == 1


def test_a_broken_sheet_with_a_quiz_in_its_name_goes_to_the_judge(find: Callable[..., Found]) -> None:
    put("recall.yaml", text="broken")
    assert find("recall.yaml") == [("recall", "recall.yaml")]


def test_a_folder_is_the_whole_course_in_its_order(find: Callable[..., Found]) -> None:
    put("work/sub/beta.py", "work/notes.txt", "work/.grader/alpha.py", "work/__pycache__/alpha.py")
    assert find("work") == [("alpha", None), ("beta", "work/sub/beta.py"), ("recall", None)]
    assert find("work", exercise="beta") == [("beta", "work/sub/beta.py")]


def test_a_folder_called_like_a_file_is_handed_on_as_that_file(find: Callable[..., Found]) -> None:
    Path("work/alpha.py").mkdir(parents=True)
    put("work/alpha.py/beta.py")
    assert find("work") == [("alpha", "work/alpha.py"), ("beta", None), ("recall", None)]
    assert find("work/alpha.py") == [("alpha", "work/alpha.py")]


def test_a_folder_called_like_a_notebook_or_sheet_is_no_folder_to_search(find: Callable[..., Found]) -> None:
    put("work/alpha.ipynb/beta.py")
    assert find("work/alpha.ipynb") == [("alpha", "work/alpha.ipynb")]
    assert find("work")[0] == ("alpha", "work/alpha.ipynb")
    put("here/recall.yaml/beta.py", "here/alpha.py")
    with pytest.raises(IsADirectoryError):  # the stand-in opens what the real reader refuses
        find("here")


def test_many_names_are_told_as_a_few() -> None:
    assert some([f"e{n}" for n in range(40)]) == ", ".join(f"e{n}" for n in range(12)) + ", …"
    assert some(["a", "b"]) == "a, b"


def test_a_folder_without_anything_to_grade_says_so(find: Callable[..., Found]) -> None:
    put("work/readme.txt")
    with pytest.raises(Stop, match="has no file to grade") as stop:
        find("work")
    assert stop.value.exit_code == 1


def test_two_files_for_one_exercise_in_a_folder_are_not_guessed_between(find: Callable[..., Found]) -> None:
    put("work/alpha.py", "work/01_alpha.py")
    with pytest.raises(Stop, match=r"alpha is there twice: work/01_alpha\.py and work/alpha\.py"):
        find("work")


def test_a_path_that_is_not_there_is_answered_with_one_that_is(tmp_path: Path) -> None:
    (tmp_path / "alpha.py").touch()
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
    must_exist([tmp_path / "alpha.py", tmp_path / "dangling.py"], "en")
    with pytest.raises(Stop, match=r"Did you mean 'alpha\.py'"):
        must_exist([tmp_path / "alhpa.py"], "en")
    with pytest.raises(Stop, match="is not there"):
        must_exist([tmp_path / "none" / "alpha.py"], "en")


def test_a_folder_that_may_not_be_entered_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("closed/alpha.py")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed")  # root may enter all of them
    for name in ("closed", "closed/alpha.py"):
        with pytest.raises(Stop, match="is out of reach: the permissions of closed forbid it") as stop:
            must_exist([Path(name)], "en")
        assert stop.value.exit_code == 2
