"""Expectations: computed from a reference that is loaded by path, kept as bytes, and read again without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_course import exercise, prepared

from grader.model import Exercise, Expectations, GraderError, Tensor
from grader.stages.expect import expect, load_reference
from grader.stages.frozen import freeze, thaw
from grader.stages.plan import plan

REFERENCE = {
    "__init__.py": "from .steps import CORRECT\n\ndef mixing(q, k, v, *, steps=CORRECT):\n"
    "    weights = (steps.scale(q @ k.transpose(-2, -1))).softmax(-1)\n    return weights @ v, weights\n\n"
    "FUNCTIONS = {'mixing': mixing}\n",
    "steps.py": "from dataclasses import dataclass\nclass NotApplicable(Exception): ...\n@dataclass(frozen=True)\n"
    "class Steps:\n    scale: object\nCORRECT = Steps(lambda s: s / 2)\n",
    "mistakes.py": "MISTAKES = {'unscaled': {'scale': lambda s: s}}\n",
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / "reference_impl"
    folder.mkdir(parents=True)
    for name, text in REFERENCE.items():
        (folder / name).write_text(text)
    return folder.parent


def _same(a: Expectations, b: Expectations) -> bool:
    return (
        a.traces == b.traces
        and a.right.keys() == b.right.keys()
        and all(np.array_equal(x.array, y.array) for c in a.right for x, y in zip(a.right[c], b.right[c], strict=True))
        and all(
            np.array_equal(a.gradients[c][n].array, b.gradients[c][n].array)
            for c in a.gradients
            for n in a.gradients[c]
        )
    )


def test_expectations_survive_being_written_and_read():
    _, expected = prepared()
    again = thaw(freeze(expected))
    assert again is not None and _same(expected, again)
    assert all(isinstance(r, Tensor) and r.dtype == "float64" for value in again.right.values() for r in value)


@pytest.mark.parametrize("cut", [0, 5, 40, 300, -1])
def test_a_file_that_is_not_whole_is_not_read(cut):
    data = freeze(prepared()[1])
    assert thaw(data[:cut]) is None


def test_a_changed_byte_is_noticed():
    data = bytearray(freeze(prepared()[1]))
    data[-20] ^= 1
    assert thaw(bytes(data)) is None


def test_the_reference_is_loaded_under_no_name_that_can_be_imported(course: Path):
    load_reference(course)
    assert not [name for name in sys.modules if name.split(".")[0] == "reference_impl"]


def test_two_courses_have_a_reference_each(course: Path, tmp_path: Path):
    other = tmp_path / "other" / "reference_impl"
    other.mkdir(parents=True)
    for name, text in REFERENCE.items():
        (other / name).write_text(text.replace("s / 2", "s / 3"))
    one, two = load_reference(course), load_reference(other.parent)
    assert one.steps.scale(6) == 3 and two.steps.scale(6) == 2


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("__init__.py", "import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("__init__.py", "def (:\n", "SyntaxError"),
        ("__init__.py", "", "AttributeError"),
        ("steps.py", "CORRECT = 1\n", "AttributeError"),
        ("mistakes.py", "1 / 0\n", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_reference_that_does_not_load_is_our_fault_and_says_why(course: Path, file: str, text: str, told: str):
    (course / "reference_impl" / file).write_text(text)
    with pytest.raises(GraderError, match="reference_impl of the course does not load") as caught:
        expect(_planned(), course)
    assert told in str(caught.value)


def _planned(**changes):
    return plan(_exercise(**changes))


def _exercise(**changes) -> Exercise:
    return exercise(checks=exercise().checks[:4], **changes)


def test_a_reference_without_the_function_says_which(course: Path):
    with pytest.raises(GraderError, match="no function 'missing'"):
        expect(_planned(reference="missing"), course)


def test_a_reference_that_raises_says_in_which_case(course: Path):
    text = REFERENCE["__init__.py"].replace("    weights =", "    assert q.shape[0] != 1, 'one sample'\n    weights =")
    (course / "reference_impl" / "__init__.py").write_text(text)
    with pytest.raises(GraderError, match=r"case 'square': the reference raised AssertionError$") as raised:
        expect(_planned(), course)
    assert str(raised.value.__cause__) == "one sample"  # for the author alone


def test_a_cache_is_used_and_a_broken_one_is_made_anew(course: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    first = expect(_planned(), course, cache)
    (kept,) = cache.glob("*.expect")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-3])
    assert _same(expect(_planned(), course, cache), first)
    assert kept.read_bytes() == whole


def test_the_cache_knows_the_reference_the_seed_and_the_secret(course: Path, tmp_path: Path):
    cache = tmp_path / "cache"
    expect(_planned(), course, cache)
    expect(plan(_exercise(), seed=1), course, cache)
    expect(plan(_exercise(), secret=b"other"), course, cache)
    changed = REFERENCE["steps.py"].replace("s / 2", "s / 4")
    (course / "reference_impl" / "steps.py").write_text(changed)
    expect(_planned(), course, cache)
    assert len(list(cache.glob("*.expect"))) == 4


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(course: Path, tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert _same(expect(_planned(), course, blocked / "cache"), expect(_planned(), course))


def test_known_expectations_need_no_torch(course: Path, tmp_path: Path):
    expect(_planned(), course, tmp_path / "cache")
    program = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parents[2])!r}]
from pathlib import Path
from grader.stages import compare, diagnose, expect, plan, report
from grader.stages.frozen import thaw
kept = next(Path({str(tmp_path / "cache")!r}).glob("*.expect"))
assert thaw(kept.read_bytes()) is not None
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
