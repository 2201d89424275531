"""Course folders: which one is found, what loads, and that the problems of all files come together."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import grader
from grader.course.find import NoCourse, find_course
from grader.course.folder import load_course
from grader.locale import say
from grader.model import AuthorError

COURSE = """\
title: {en: Course, zh: 课程}
modules:
  - title: {en: One, zh: 一}
    exercises: [second, first]
    quizzes: [recall]
preload: [einops, torch.nn]
"""
EXERCISE = """\
title: {en: T, zh: 题}
points: 1
prompt: {en: P, zh: 题}
signature: SLUG(x)
reference: SLUG
inputs: {x: {normal: [T]}}
returns: [T]
cases: [{name: one, T: 2}]
checks: [shape]
catches: [unscaled]
"""
QUIZ = """\
title: {en: Q, zh: 测}
intro: {en: I, zh: 引}
questions:
  - {id: sum, kind: number, points: 1, prompt: {en: 1 + 1, zh: 1 + 1？}, key: 2, practises: first}
"""
MISTAKES = "unscaled: {codes: [SC1], says: {en: S, zh: 说}, asks: {en: A, zh: 问}}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("exercises", "quizzes", "reference_impl"):
        (tmp_path / folder).mkdir()
    write(tmp_path, "course.yaml", COURSE)
    write(tmp_path, "exercises/01_first.yaml", EXERCISE.replace("SLUG", "first"))
    write(tmp_path, "exercises/02_second.yaml", EXERCISE.replace("SLUG", "second"))
    write(tmp_path, "quizzes/01_recall.yaml", QUIZ)
    write(tmp_path, "reference_impl/mistakes.yaml", MISTAKES)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8")


def faults(root: Path) -> list[str]:
    with pytest.raises(AuthorError) as caught:
        load_course(root)
    return list(caught.value.problems)


def test_a_course_loads_in_the_order_of_its_modules(root: Path) -> None:
    course = load_course(root)
    assert list(course.exercises) == ["second", "first"]
    assert list(course.quizzes) == ["recall"]
    assert course.exercises["first"].file == "exercises/01_first.yaml"
    assert course.exercises["first"].module == "One"
    assert course.quizzes["recall"].module == "One"
    assert course.preload == ("einops", "torch.nn")
    assert course.secret_from is None
    assert course.root == str(root)


@pytest.mark.parametrize(
    ("secret", "expected"),
    [("{file: /etc/secret}", "file:/etc/secret"), ("{env: GRADER_SECRET}", "env:GRADER_SECRET")],
)
def test_a_course_says_where_its_secret_is(root: Path, secret: str, expected: str) -> None:
    write(root, "course.yaml", COURSE + f"secret: {secret}\n")
    assert load_course(root).secret_from == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "[second, first]",
            "[second, first, thrid]",
            "course.yaml:4:32: modules[0].exercises[2]: there is no file exercises/NN_thrid.yaml",
        ),
        (
            "[recall]",
            "[recal]",
            "course.yaml:5:15: modules[0].quizzes[0]: there is no file quizzes/NN_recal.yaml — did you mean `recall`?",
        ),
        ("[second, first]", "[second]", "course.yaml:2:1: modules: exercises/01_first.yaml is in no module"),
        (
            "[second, first]",
            "[second, first, second]",
            "course.yaml:4:32: modules[0].exercises[2]: `second` is listed twice",
        ),
        ("preload:", "preloads:", "course.yaml:6:1: preloads: unknown key — did you mean `preload`?"),
        (
            "torch.nn]",
            "torch nn]",
            "course.yaml:6:19: preload[1]: got 'torch nn', expected names of letters, digits and `_`, with dots between them",
        ),
        ("preload:", "secret: {}\npreload:", "course.yaml:6:9: secret: expected one of `file` and `env`"),
        (
            "preload:",
            "secret: {file: x, env: Y}\npreload:",
            "course.yaml:6:9: secret: expected one of `file` and `env`",
        ),
    ],
)
def test_a_fault_of_the_course_file_is_named_at_its_place(root: Path, old: str, new: str, expected: str) -> None:
    write(root, "course.yaml", COURSE.replace(old, new))
    assert expected in faults(root)


def test_faults_of_all_files_come_together(root: Path) -> None:
    write(root, "course.yaml", COURSE.replace("title: {en: Course", "title: {eng: Course"))
    write(root, "exercises/01_first.yaml", EXERCISE.replace("SLUG", "first").replace("points: 1", "points: x"))
    write(root, "quizzes/01_recall.yaml", QUIZ.replace("kind: number", "kind: numbre"))
    write(root, "reference_impl/mistakes.yaml", MISTAKES.replace("asks", "ask"))
    files = {problem.split(":")[0] for problem in faults(root)}
    assert files == {"course.yaml", "exercises/01_first.yaml", "quizzes/01_recall.yaml", "reference_impl/mistakes.yaml"}


def test_a_broken_exercise_is_not_missing_for_a_quiz(root: Path) -> None:
    write(root, "exercises/01_first.yaml", EXERCISE.replace("SLUG", "first").replace("points: 1", "points: x"))
    assert faults(root) == ["exercises/01_first.yaml:2:9: points: got 'x', expected a number"]


def test_promises_are_held_against_the_mistakes_of_the_course(root: Path) -> None:
    write(root, "exercises/01_first.yaml", EXERCISE.replace("SLUG", "first").replace("unscaled", "unscald"))
    [fault] = faults(root)
    assert fault.startswith("exercises/01_first.yaml:10:11: catches[0]: reference_impl/mistakes.yaml has no `unscald`")


def test_two_files_cannot_share_a_slug(root: Path) -> None:
    write(root, "exercises/03_first.yaml", EXERCISE.replace("SLUG", "first"))
    assert faults(root) == ["exercises/03_first.yaml:1:1: the slug is taken by exercises/01_first.yaml"]


def test_a_file_without_a_number_is_named(root: Path) -> None:
    write(root, "quizzes/draft.yml", QUIZ)
    [fault] = faults(root)
    assert fault.startswith("quizzes/draft.yml:1:1: the file's name is not of the form `NN_slug.yaml`")


def test_a_course_without_its_file_is_named(root: Path) -> None:
    (root / "course.yaml").unlink()
    assert faults(root) == ["course.yaml:1:1: there is no such file"]


def test_the_named_folder_wins(root: Path) -> None:
    assert find_course(root, above=Path("/")) == root


def test_a_named_folder_without_a_course_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoCourse) as caught:
        find_course(tmp_path)
    assert say(caught.value.why, "en") == f"{tmp_path} is no course: it has no course.yaml"


def test_an_author_is_in_the_course_that_the_folder_lies_in(root: Path) -> None:
    assert find_course(above=root / "exercises") == root.resolve()


def test_nobody_else_brings_a_course_along(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert find_course() != root.resolve()
    assert (find_course() / "course.yaml").is_file()


def test_without_any_course_it_is_said_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site" / "grader").mkdir(parents=True)
    monkeypatch.setattr(grader, "__file__", str(tmp_path / "site" / "grader" / "__init__.py"))
    with pytest.raises(NoCourse) as caught:
        find_course(above=tmp_path)
    assert say(caught.value.why, "en") == "there is no course here, and none is installed: name one with --course"


def test_the_built_in_course_has_no_problems() -> None:
    course = load_course(find_course())
    assert len(course.exercises) >= 41 and len(course.quizzes) >= 12
    assert list(course.exercises)[:2] == ["similarity_scores", "scale_scores"]
    assert "self_test" in course.quizzes


@pytest.mark.parametrize(
    ("thing", "told"), [("folder", "is a folder, not a file"), ("link", "is a link that leads nowhere")]
)
@pytest.mark.parametrize("named", [True, False])
def test_a_course_file_that_can_be_none_gives_way_to_no_other_course(
    tmp_path: Path, thing: str, told: str, named: bool
) -> None:
    file = tmp_path / "course.yaml"
    file.mkdir() if thing == "folder" else file.symlink_to(tmp_path / "gone.yaml")
    (tmp_path / "exercises").mkdir()
    with pytest.raises(NoCourse) as caught:
        find_course(tmp_path) if named else find_course(above=tmp_path / "exercises")
    assert say(caught.value.why, "en") == f"{file if named else file.parent.resolve() / file.name} {told}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_course_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "course.yaml")
    with pytest.raises(NoCourse) as caught:
        find_course(tmp_path)
    assert say(caught.value.why, "en") == f"{tmp_path / 'course.yaml'} is not an ordinary file"


@pytest.mark.parametrize(("thing", "told"), [("folder", "a folder, not a file"), ("link", "a link that leads nowhere")])
def test_texts_of_mistakes_that_cannot_be_read_are_not_taken_for_none(root: Path, thing: str, told: str) -> None:
    file = root / "reference_impl" / "mistakes.yaml"
    file.unlink()
    file.mkdir() if thing == "folder" else file.symlink_to(root / "gone.yaml")
    assert f"reference_impl/mistakes.yaml:1:1: this is {told}" in faults(root)
