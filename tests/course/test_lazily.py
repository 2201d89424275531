"""A course whose files are read when they are asked for is the same course, and hides no mistake in what it reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.course.folder import load_course, load_course_mistakes
from grader.course.lazily import Later, LaterWhole, mistakes_lazily, open_course_lazily
from grader.model import AuthorError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("exercises", "quizzes"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "course.yaml", tmp_path)
    (tmp_path / "reference_impl").mkdir()
    shutil.copy(ROOT / "reference_impl" / "mistakes.yaml", tmp_path / "reference_impl")
    return tmp_path


def test_it_is_the_same_course():
    whole, lazy = load_course(ROOT), open_course_lazily(ROOT)
    assert (list(lazy.exercises), list(lazy.quizzes)) == (list(whole.exercises), list(whole.quizzes))
    assert lazy.exercises["attention"] == whole.exercises["attention"]
    assert lazy.quizzes["self_test"] == whole.quizzes["self_test"]
    assert (lazy.modules, lazy.preload, lazy.title) == (whole.modules, whole.preload, whole.title)
    assert dict(mistakes_lazily(ROOT)) == load_course_mistakes(ROOT)


def test_a_broken_file_is_found_when_it_is_asked_for_and_not_before(copy: Path):
    (copy / "exercises" / "17_attention.yaml").write_text("title: x\n")
    course = open_course_lazily(copy)
    assert course.exercises["causal_mask"].slug == "causal_mask"
    with pytest.raises(AuthorError, match=r"exercises/17_attention\.yaml"):
        course.exercises["attention"]


def test_a_listing_that_does_not_fit_is_found_at_once(copy: Path):
    (copy / "exercises" / "17_attention.yaml").unlink()
    with pytest.raises(AuthorError, match=r"course\.yaml.*attention"):
        open_course_lazily(copy)


def test_values_are_made_once_and_only_when_asked_for():
    made = []
    later = Later({"a": lambda: made.append("a") or 1, "b": lambda: made.append("b") or 2})
    assert ("a" in later, "c" in later, len(later), list(later), made) == (True, False, 2, ["a", "b"], [])
    assert (later["a"], later["a"], made) == (1, 1, ["a"])
    whole = LaterWhole(lambda: made.append("all") or {"x": 3})
    assert made == ["a"]
    assert (whole["x"], len(whole), list(whole), made) == (3, 1, ["x"], ["a", "all"])
