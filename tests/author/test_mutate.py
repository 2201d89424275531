"""The search finds a planted hole, says what would close it, and lets nothing hang, pass unnoticed or stay broken behind it."""

from __future__ import annotations

import ast
import json
import math
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from grader.author.mutate import Search, Settings, Survivor, search, wrong_forms
from grader.author.mutate.allowed import load_allowed
from grader.author.mutate.edits import Mutant
from grader.author.mutate.fresh import Fresh, as_yaml, fresh_cases
from grader.author.mutate.judging import Shown
from grader.author.mutate.operators import Scope, variants
from grader.author.mutate.page import as_markdown
from grader.author.mutate.source import reached
from grader.author.mutate.told import lines
from grader.author.mutate.worker import GONE, Guard, guarded
from grader.cli import cli
from grader.course.folder import load_course
from grader.kinds.inputs import INPUTS
from grader.model import AuthorError, Case, GraderError, message
from grader.stages.expect import load_reference

STEPS = '''
"""Steps."""
import math
from dataclasses import dataclass
from typing import Any


class NotApplicable(Exception):
    """Nothing to get wrong."""


def divide(scores, d):
    """Return the scores over the root."""
    return scores / math.sqrt(d)


def check(d):
    """Raise ValueError for too many features."""
    if d > 9:
        raise ValueError(f"{d} features")


@dataclass(frozen=True)
class Steps:
    divide: Any
    check: Any


CORRECT = Steps(divide=divide, check=check)
'''
FUNCTIONS = """
from .steps import CORRECT


def scaled(scores, d, *, steps=CORRECT):
    steps.check(d)
    return steps.divide(scores, d)


FUNCTIONS = {"scaled": scaled}
"""
MISTAKES = 'MISTAKES = {"unscaled": {"divide": lambda scores, d: scores}}\n'
EXERCISE = """
title: {en: Scaled, zh: 缩放}
points: 2
prompt: {en: Divide by the root of d., zh: 除以 d 的平方根。}
signature: scaled(scores, d)
reference: scaled
inputs: {scores: {normal: [T, S]}, d: {size: D}}
returns: [T, S]
checks: [shape, dtype, finite, values]
cases:
"""
HOLLOW = "  - {name: one feature, T: 3, S: 4, D: 1}\n"
MOST = "  - {name: as many as may be, T: 3, S: 4, D: 9}\n"
TOO_MANY = "  - {name: one too many, T: 3, S: 4, D: 10, raises: ValueError}\n"
SOUND = HOLLOW + MOST + TOO_MANY
COURSE = "title: {en: Small, zh: 小课程}\nmodules: [{title: {en: One, zh: 一}, exercises: [scaled], quizzes: []}]\n"


@pytest.fixture
def course(tmp_path: Path):
    """Write a course of one exercise with these cases; return its folder."""

    def write(cases: str, may_pass: str = "", steps: str = STEPS) -> Path:
        files = {
            "course.yaml": COURSE,
            "exercises/01_scaled.yaml": EXERCISE + cases,
            "reference_impl/__init__.py": FUNCTIONS,
            "reference_impl/steps.py": steps,
            "reference_impl/mistakes.py": MISTAKES,
            **({"reference_impl/may_pass.yaml": may_pass} if may_pass else {}),
        }
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return write


def mutate(folder: Path, *more: object) -> Result:
    return CliRunner().invoke(cli, ["author", "mutate", "--course", str(folder), "--lang", "en", *map(str, more)])


def test_a_planted_hole_is_found_with_a_case_that_closes_it(course):
    ran = mutate(course(HOLLOW))
    assert ran.exit_code == 1, ran.output
    line = STEPS[: STEPS.index("return scores")].count("\n") + 1
    assert (
        f"reference_impl/steps.py:{line}: divide\n      - return scores / math.sqrt(d)\n      + return scores\n"
        in ran.output
    )
    assert "reference_impl/mistakes.py:1: divide" in ran.output
    assert "gets full marks, and differs in" in ran.output
    found = ran.output.split("+ return scores * math.sqrt(d)")[1].split("        - ")[1].split("\n")[0]
    closed = mutate(course(f"{SOUND}  - {found}\n"))
    assert closed.exit_code == 0, closed.output


def test_every_case_that_is_said_to_catch_a_form_does_so_once_it_is_added(course):
    folder = course(HOLLOW)
    (found,) = json.loads(mutate(folder, "--report", "json").output)["exercises"]
    told = mutate(folder).stdout
    assert found["passes"] == told.count("This case catches it, once it stands among the `cases`:\n") > 9
    for each in found["survivors"]:
        assert each["catches"]
        assert f"`cases`:\n        - {each['case']}\n" in told
    assert told.count("say so in reference_impl/may_pass.yaml: NAME: {functions: [FUNCTION], after:") == 1
    cases = sorted({each["case"] for each in found["survivors"]})
    assert 1 < len(cases) < found["passes"]
    left = json.loads(mutate(course(HOLLOW + "".join(f"  - {case}\n" for case in cases)), "--report", "json").output)
    assert left["exercises"][0]["passes"] == 0


def test_a_case_that_would_not_catch_a_form_is_offered_as_a_try():
    fresh = Fresh(Case("found 1", {"T": 3}, says={"en": "found 1", "zh": "新用例 1"}), 1, "one")
    form = Mutant("steps.py", 3, "f", "a", "b", put=lambda: lambda: None)
    found = Search("scaled", 1, 0, 0, 0, (Survivor(form, Shown(fresh, message("values"), 1, 70)),))
    told = list(lines(found, "en"))
    assert told[-3].startswith(
        "      It showed in a case like this one, but with other numbers: added, this one would not"
    )
    assert told[-2] == "        - {name: {en: found 1, zh: 新用例 1}, T: 3}"


def test_names_and_numbers_of_fresh_cases_can_stand_in_the_file_as_they_are(course):
    exercise = load_course(course(SOUND + "  - {name: found 2, T: 1, S: 2, D: 3}\n")).exercises["scaled"]
    tiny = replace(exercise, inputs={**exercise.inputs, "d": INPUTS["value"](value=1e-5)})
    names = [fresh.case.name for fresh in fresh_cases(tiny, 0)]
    assert "found 1" in names and "found 2" not in names
    cases = [fresh.case for seed in range(5) for fresh in fresh_cases(tiny, seed)]
    values = {kind.value for case in cases for name, kind in case.inputs.items() if name == "d"}
    assert values == {1e-6, 5e-6, 2e-5, 1e-4}


def test_a_sound_exercise_has_no_hole(course):
    ran = mutate(course(SOUND), "scaled")
    assert ran.exit_code == 0, ran.output
    first, figures, total = ran.output.splitlines()
    assert first == "scaled"
    assert figures.startswith("  ✓ ") and figures.endswith(" 0 that may pass, 0 that pass")
    assert total.endswith(" wrong answers to 1 exercises; 0 pass.")


def survivors(folder: Path, *more: object) -> set[tuple[str, str, str]]:
    (search,) = json.loads(mutate(folder, "--report", "json", *more).output)["exercises"]
    return {(each["function"], each["before"], each["after"]) for each in search["survivors"]}


def test_an_exception_that_no_case_asks_for_is_a_hole(course):
    assert ("check", "if d > 9:", "if False:") in survivors(course(HOLLOW + MOST))
    assert survivors(course(SOUND)) == set()


def test_a_seed_decides_everything(course):
    folder = course(HOLLOW)
    once, again, other = (mutate(folder, "--report", "json", "--seed", seed).output for seed in (3, 3, 4))
    assert once == again
    assert once != other


def test_what_may_pass_is_counted_with_its_reason(course):
    reason = "root: {functions: [divide, scaled], why: {en: One feature has the root 1., zh: 1 的平方根是 1。}}\n"
    folder = course(
        HOLLOW + MOST.replace("9}", "1}") + TOO_MANY,
        reason + reason.replace("root", "count").replace("divide", "check"),
    )
    ran = mutate(folder, "--report", f"markdown={folder / 'page.md'}", "--report", "text")
    assert ran.exit_code == 0, ran.output
    assert ", 0 that pass" in ran.output
    page = (folder / "page.md").read_text(encoding="utf-8")
    assert "One feature has the root 1." in page
    assert "- `scaled`, divide: `return scores / math.sqrt(d)` → `return scores * math.sqrt(d)`" in page


def test_a_page_keeps_what_was_not_searched_now():
    page = "| `gone` | 9 | 9 | 0 | 0 | 0 |\n| `kept` | 1,200 | 1,100 | 99 | 1 | 0 |\n| `scaled` | 7 | 7 | 0 | 0 | 0 |\n"
    page += "\nBecause.\n\n- `kept`, f: `a` → `b`\n- `scaled`, f: `a` → `b`\n"
    told = as_markdown([Search("scaled", 36, 35, 0, 1, ())], "en", page, ("scaled", "kept")).splitlines()
    rows = [line for line in told if line.startswith("| ") and line[2] in "`a"]
    assert rows == [
        "| `scaled` | 36 | 35 | 1 | 0 | 0 |",
        "| `kept` | 1,200 | 1,100 | 99 | 1 | 0 |",
        "| all | 1,236 | 1,135 | 100 | 1 | 0 |",
    ]
    assert told[-3:] == ["Because.", "", "- `kept`, f: `a` → `b`"]


def test_pairs_are_tried_on_demand(course):
    folder = course(HOLLOW)
    (folder / "reference_impl/mistakes.py").write_text(
        'MISTAKES = {"unscaled": {"divide": lambda scores, d: scores}, "unchecked": {"check": lambda d: None}}\n'
    )
    both = ("divide, check", "divide, check", "unscaled + unchecked")
    assert both not in survivors(folder)
    assert both in survivors(folder, "--pairs")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("root: {functions: [divide]}\n", "reference_impl/may_pass.yaml:1:7: root.why: this key is missing"),
        ("root: {why: {en: a, zh: b}}\n", "reference_impl/may_pass.yaml:1:1: root: say which forms are meant"),
        ("root: {after: [x], exercises: [scale], why: {en: a, zh: b}}\n", "the course has no exercise `scale`"),
    ],
)
def test_a_wrong_list_of_what_may_pass_is_refused_at_its_place(text, told, course):
    folder = course(HOLLOW, text)
    with pytest.raises(AuthorError) as caught:
        load_allowed(folder, {"scaled": None})
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["scald"], "There is no 'scald'. Did you mean 'scaled'?"),
        (["--seed", "-1"], "--seed -1: give a number from 0 on."),
        (["--report", "jsn"], "There is no 'jsn'. Did you mean 'json'?"),
    ],
)
def test_a_wrong_word_on_the_command_line_is_named(arguments, told, course):
    ran = mutate(course(HOLLOW), *arguments)
    assert (ran.exit_code, told in ran.output) == (2, True), ran.output


def test_a_quiz_has_nothing_to_break():
    ran = CliRunner().invoke(cli, ["author", "mutate", "self_test", "--lang", "en"])
    assert ran.exit_code == 2
    assert "self_test is a quiz: only exercises have a reference to break." in ran.output


def test_a_course_without_exercises_has_nothing_to_search(tmp_path):
    assert CliRunner().invoke(cli, ["author", "new", "course", str(tmp_path / "empty")]).exit_code == 0
    ran = mutate(tmp_path / "empty")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "The course has no exercise yet: there is nothing to search." in ran.stderr


def test_a_reference_that_fails_its_own_exercise_ends_the_search(course):
    ran = mutate(course(HOLLOW.replace("D: 1}", "D: 1, raises: ValueError}")))
    assert ran.exit_code == 3
    assert "the reference itself fails contract in case 'one feature': run author verify" in ran.output


def test_a_system_that_cannot_fork_is_named(course, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    ran = mutate(course(HOLLOW))
    assert ran.exit_code == 4
    assert "wrong answers are tried in forked processes, which this system does not offer" in ran.output


def test_wrong_code_that_loops_is_caught_and_stops_nothing(course):
    loop = "    n = 0\n    while n < 1:\n        n += 1\n    return scores / math.sqrt(d)\n"
    folder = course(SOUND, steps=STEPS.replace("    return scores / math.sqrt(d)\n", loop))
    exercise, reference = load_course(folder).exercises["scaled"], load_reference(folder)
    settings = Settings(folder, folder / "reference_impl", guard=Guard(seconds=0))
    forms = [
        form for form in wrong_forms(exercise, reference, settings) if form.after in ("pass", "n -= 1", "while True:")
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.author.mutate.wrong_forms", lambda *_: forms)
        found = search(exercise, reference, settings)
    assert (found.tried, found.survivors) == (len(forms), ())
    assert 1 <= found.stopped <= found.caught


# ---------------------------------------------------------------- the process that judges


def _judge(at: int) -> str:
    if at == 1:
        while True:
            pass
    if at == 2:
        os._exit(134)
    return f"judged {at}"


def test_a_loop_and_a_crash_cost_their_own_verdict_alone():
    assert list(guarded(4, lambda: _judge, Guard(seconds=0))) == ["judged 0", GONE, GONE, "judged 3"]


def test_memory_is_bounded():
    def fill(at: int) -> str:
        try:
            return str(len(bytearray(1 << 30)))
        except MemoryError:
            return "no more"

    assert list(guarded(1, lambda: fill, Guard(memory_mb=64))) == ["no more"]


def test_a_judge_that_fails_is_told_to_the_author():
    with pytest.raises(GraderError, match="ZeroDivisionError: division by zero"):
        list(guarded(1, lambda: lambda at: 1 / at, Guard()))


def test_a_process_that_never_begins_is_told():
    with pytest.raises(GraderError, match="ended before it could begin"):
        list(guarded(1, lambda: os._exit(134), Guard()))  # type: ignore[arg-type, return-value]


# ---------------------------------------------------------------- wrong forms


@pytest.mark.parametrize(
    ("source", "among"),
    [
        ("a - b", {"a + b", "a", "b", "b - a"}),
        ("a @ b", {"a * b", "b @ a"}),
        ("i < j", {"i <= j", "i > j", "i != j"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("-math.inf", {"-1000.0", "-1000000000.0", "math.inf"}),
        ("2", {"1", "3", "0", "-2"}),
        ("0.5", {"1.0", "0.25", "5.0", "0.05", "-0.5", "0.0"}),
        ("True", {"False"}),
        ("'pre'", {"'post'"}),
        ("query", {"key"}),
        ("EPS", {"2e-05", "0.0"}),
        ("x.contiguous()", {"x"}),
        ("f(a, b)", {"a", "b", "f(b, a)", "f(a, a)", "f(a)"}),
        ("x.sum(keepdim=True)", {"x", "x.sum()"}),
        ("x.sum", {"x.mean"}),
        ("x[0]", {"x"}),
        ("(a, b)", {"(b, a)", "(a, a)"}),
        ("{'a': x, 'b': y}", {"{'a': y, 'b': x}"}),
        ("a if t else b", {"a", "b", "b if t else a"}),
    ],
)
def test_each_operator_gives_what_is_easily_taken_for_it(source, among):
    scope = Scope({"query": ("query", "key")}, ("pre", "post"), {"EPS": 1e-5, "math": math})
    node = ast.parse(source, mode="eval").body
    assert among <= {ast.unparse(ast.fix_missing_locations(new)) for new in variants(node, scope)}


def test_a_slice_loses_a_bound_or_moves_it():
    scope = Scope({}, (), {})
    node = ast.parse("x[1:n]", mode="eval").body.slice  # type: ignore[attr-defined]
    assert {"x[:n]", "x[1:]", "x[1:n + 1]", "x[1 - 1:n]"} <= {f"x[{ast.unparse(new)}]" for new in variants(node, scope)}


def test_what_was_put_in_place_is_taken_back(course):
    from grader.author.mutate.edits import mutants_of

    folder = course(SOUND)
    reference = load_reference(folder)
    scaled = reference.functions["scaled"]
    found = reached(lambda: scaled(8.0, 4), folder / "reference_impl", folder, reference.steps)
    assert [function.name for function in found] == ["scaled", "divide", "check"]
    forms = {mutant.after: mutant for mutant in mutants_of(found[1])}
    undo = forms["return scores * math.sqrt(d)"].put()
    assert scaled(8.0, 4) == 16
    undo()
    assert scaled(8.0, 4) == 4


def test_a_fresh_case_reads_back_as_yaml(course):
    exercise = load_course(course(SOUND)).exercises["scaled"]
    for fresh in fresh_cases(exercise, 0):
        read = yaml.safe_load(as_yaml(fresh.case))
        assert read["name"] == {"en": fresh.case.name, "zh": fresh.case.name.replace("found", "新用例")}
        assert set(read) <= {"name", "T", "S", "D", "raises", "inputs"}


# ---------------------------------------------------------------- the course


@pytest.mark.slow
@pytest.mark.parametrize(
    "slug", ["scale_scores", "softmax_jacobian", "padding_mask", "qkv_projection", "layer_norm", "attention"]
)
def test_no_wrong_answer_passes_in_the_course(slug):
    ran = CliRunner().invoke(cli, ["author", "mutate", slug, "--lang", "en"])
    assert ran.exit_code == 0, ran.output
