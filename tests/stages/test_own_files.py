"""Files that hold one exercise each: added to the reference of the course, and refused where they do not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.model import GraderError
from grader.stages.expect import forget_reference, load_reference

SHARED = {
    "__init__.py": "FUNCTIONS = {'shared': lambda x, *, steps=None: x}\n",
    "steps.py": "from dataclasses import dataclass\nclass NotApplicable(Exception): ...\n@dataclass(frozen=True)\n"
    "class Steps:\n    halve: object\nCORRECT = Steps(lambda x: x / 2)\n",
    "mistakes.py": "MISTAKES = {'not_halved': {'halve': lambda x: x}}\n",
}
OWN = """
def plus(x):
    return x + 1

def own(x, *, steps):
    return steps.plus(steps.halve(x))

FUNCTIONS = {"own": own}
STEPS = {"plus": plus}
MISTAKES = {"nothing_added": {"plus": lambda x: x}}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "reference_impl"
    folder.mkdir()
    for name, text in SHARED.items():
        (folder / name).write_text(text)
    return tmp_path


def write(root: Path, text: str, name: str = "own") -> None:
    (root / "reference_impl" / f"exercise_{name}.py").write_text(text)
    forget_reference(root)


def test_a_file_adds_its_function_its_steps_and_its_mistakes(root: Path) -> None:
    write(root, OWN)
    reference = load_reference(root)
    assert reference.functions["own"](x=6) == 4
    assert set(reference.functions) == {"shared", "own"}
    assert set(reference.mistakes) == {"not_halved", "nothing_added"}


@pytest.mark.parametrize(("mistake", "gives"), [("not_halved", 7), ("nothing_added", 3)])
def test_mistakes_of_the_course_and_of_the_file_show_alike(root: Path, mistake: str, gives: int) -> None:
    write(root, OWN)
    reference = load_reference(root)
    wrong = replace(reference.steps, **reference.mistakes[mistake])
    assert reference.functions["own"](x=6, steps=wrong) == gives


def test_without_such_a_file_the_reference_is_what_it_was(root: Path) -> None:
    reference = load_reference(root)
    assert list(vars(reference.steps)) == ["halve"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"own": own', '"shared": own', "FUNCTIONS has shared, which the course has already"),
        ('"plus": plus', '"halve": plus', "STEPS has halve, which the course has already"),
        ('"nothing_added"', '"not_halved"', "MISTAKES has not_halved, which the course has already"),
        ('{"plus": lambda', '{"pluss": lambda', "nothing_added replaces pluss, which is no step — did you mean plus?"),
        ('{"plus": lambda', '{"quite_else": lambda', "nothing_added replaces quite_else, which is no step"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(root: Path, old: str, new: str, told: str) -> None:
    assert old in OWN
    write(root, OWN.replace(old, new))
    with pytest.raises(GraderError) as caught:
        load_reference(root)
    assert f"exercise_own.py: {told}" in str(caught.value).replace("the mistake ", "")


def test_two_files_may_not_have_a_step_of_one_name(root: Path) -> None:
    write(root, OWN)
    write(root, OWN.replace("own", "other").replace("nothing_added", "none_added"), "zother")
    with pytest.raises(GraderError, match=r"exercise_zother\.py: STEPS has plus"):
        load_reference(root)


def test_a_change_is_seen_after_the_old_one_is_forgotten(root: Path) -> None:
    write(root, OWN)
    assert load_reference(root).functions["own"](x=6) == 4
    write(root, OWN.replace("x + 1", "x + 100"))
    assert load_reference(root).functions["own"](x=6) == 103
