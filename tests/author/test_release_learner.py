"""A learner's copy of the built-in course, without the reference: what `grader check` says there, and what it cannot say."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from planted_course import contents, holding, read_folder

from grader.author.release import Release, courses, release
from grader.cli import cli
from grader.course.find import NoCourse, find_course
from grader.course.folder import load_course
from grader.grade import Settings, grade_exercise
from grader.model import GraderError, Observations, Plan, Quiz, Submission, Verdict
from grader.stages.expect import load_reference
from grader.stages.frozen_pairs import freeze_pairs, thaw_pairs
from grader.stages.plan import plan
from grader.stages.released import INDEX, frozen_of, thawed, thawed_pairs
from grader.stages.sheet import kind_of

ROOT = Path(__file__).resolve().parent.parent.parent
SLUGS = ("scale_scores", "temperature_softmax", "foundations")
GRADED = ("scale_scores", "self_test", "heads", "find_the_error")
RIGHT = "def scale_scores(scores, d_k):\n    return scores / d_k**0.5\n"
WRONG = "def scale_scores(scores, d_k):\n    return scores / d_k\n"
TWO_AT_ONCE = """\
import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("tau has to be positive")
    return torch.softmax(scores * tau, dim=-2)
"""


def part_of_the_course(root: Path, slugs: tuple[str, ...], *, graded: bool = False) -> Path:
    """Write the built-in course with some of its exercises and quizzes, these graded or not, and return its folder."""
    files = courses.judge_course(ROOT, slugs)
    for name in files:
        if graded and name.startswith("quizzes/") and name.endswith(".yaml"):
            files[name] = b"graded: true\n" + files[name]
    return courses.lay_out(root, files)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return part_of_the_course(tmp_path_factory.mktemp("judge"), SLUGS)


@pytest.fixture(scope="module")
def files(judge: Path) -> dict[str, bytes]:
    return courses.learner_course(judge, (), None, lambda _: None)


@pytest.fixture(scope="module")
def copy(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return courses.lay_out(tmp_path_factory.mktemp("copy"), files)


Checked = Callable[..., tuple[int, dict[str, object], str]]


@pytest.fixture
def check(tmp_path: Path) -> Checked:
    def run(course: Path, name: str, text: str, *options: str) -> tuple[int, dict[str, object], str]:
        file = tmp_path / name
        file.write_text(text)
        report = tmp_path / "report.json"
        command = [
            "check",
            str(file),
            "--course",
            str(course),
            "--report",
            f"json={report}",
            "--report",
            "text",
            *options,
        ]
        ran = CliRunner().invoke(cli, command)
        return ran.exit_code, json.loads(report.read_text()) if report.exists() else {}, ran.output

    return run


def result(report: dict[str, object]) -> dict[str, object]:
    (only,) = report["results"]  # type: ignore[misc]
    return only  # type: ignore[no-any-return]


# ---------------------------------------------------------------- feedback


def test_a_right_answer_passes_what_is_open_and_the_rest_is_counted_aloud(copy: Path, check: Checked) -> None:
    code, report, text = check(copy, "scale_scores.py", RIGHT)
    assert code == 0
    assert result(report)["verdict"] == "passed"
    assert report["max_score"] == pytest.approx(5 * 5 / 6)
    assert report["score"] == report["max_score"]
    assert "Right so far: every visible case passes (5); hidden ones that are judged elsewhere: 1." in text
    assert "Hidden cases that are judged elsewhere, and not counted here: 1." in text
    assert "public default" not in text


def test_a_mistake_is_named_and_shown(copy: Path, check: Checked) -> None:
    code, report, text = check(copy, "scale_scores.py", WRONG, "--lang", "zh")
    (found,) = result(report)["diagnoses"]  # type: ignore[misc]
    assert (code, found["mistakes"]) == (1, ["divided_by_d_k", "scaled_twice"])
    assert result(report)["example"]
    assert "在别处评判的隐藏用例，未计入此处的分数：1。" in text


def test_two_mistakes_at_once_are_named_as_the_judge_names_them(copy: Path, judge: Path, check: Checked) -> None:
    code, here, _ = check(copy, "temperature_softmax.py", TWO_AT_ONCE)
    _, there, _ = check(judge, "temperature_softmax.py", TWO_AT_ONCE)
    (found,), (known,) = (result(report)["diagnoses"] for report in (here, there))  # type: ignore[misc]
    assert (code, found["mistakes"]) == (1, ["softmax_over_queries", "multiplied_by_tau"])
    assert found["mistakes"] == known["mistakes"]
    assert found["matched_calls"] == known["matched_calls"] - 1  # the hidden case
    seen = [
        [(o["case"], o["check"], o["verdict"], o["message"]) for o in result(report)["outcomes"] if not o["hidden"]]  # type: ignore[attr-defined]
        for report in (here, there)
    ]
    assert seen[0] == seen[1]


def test_another_seed_than_the_frozen_one_is_a_usage_error(copy: Path, check: Checked) -> None:
    code, _, text = check(copy, "scale_scores.py", RIGHT, "--seed", "3")
    assert code == 2
    assert "This copy of the course has the answers for seed 0 only: leave out --seed 3." in text


def test_the_list_counts_what_can_be_had_here(copy: Path) -> None:
    listed = CliRunner().invoke(cli, ["list", "--course", str(copy)]).output
    assert "–/4.17 Scale the scores" in " ".join(listed.split())
    assert "What is judged elsewhere, or by a person, counts" in listed
    shown = CliRunner().invoke(cli, ["show", "scale_scores", "--course", str(copy)]).output
    assert "many features; and 1 hidden." in " ".join(shown.split())


def test_the_reference_cannot_be_asked_for(copy: Path) -> None:
    with pytest.raises(GraderError, match="does not load"):
        load_reference(copy)


# ---------------------------------------------------------------- quizzes


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return part_of_the_course(tmp_path_factory.mktemp("graded"), GRADED, graded=True)


@pytest.fixture(scope="module")
def bare(graded_course: Path) -> dict[str, bytes]:
    return courses.learner_course(graded_course, (), None, lambda _: None)


def test_no_graded_quiz_tells_what_only_its_keys_say(graded_course: Path, bare: dict[str, bytes]) -> None:
    looked_for, found = told_by_keys(graded_course, bare)
    assert looked_for > 150
    assert found == []


def told_by_keys(course: Path, released: dict[str, bytes]) -> tuple[int, list[str]]:
    """Return how many texts stand in keys of quizzes alone, and those of them that are released."""
    quizzes = load_course(course).quizzes.values()
    whole, kept = (set[str]().union(*(said(quiz, keys=keys) for quiz in quizzes)) for keys in (True, False))
    others = b"\n".join(data for name, data in released.items() if not name.startswith("quizzes/"))
    public = "\n".join(kept) + others.decode("utf-8", "replace")
    only = [text for text in sorted(whole) if text not in public]
    return len(only), [text for text in only if holding(released, text)]


def said(quiz: Quiz, *, keys: bool) -> set[str]:
    """Return the longer lines of text in a quiz, with or without its keys."""

    def texts(part: object) -> set[str]:
        if isinstance(part, str):
            return {line.strip() for line in part.splitlines() if len(line.strip()) >= 12}
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, (list, tuple)) else ()
        return {text for each in inner for text in texts(each)}

    found = texts([quiz.title, quiz.intro])
    for question in quiz.questions:
        spec = kind_of(question) if keys else kind_of(question).without_key()
        explained = question.explanation if keys and question.explanation else {}
        found |= texts([spec.model_dump(), question.prompt, explained, list(question.hints)])
    return found


def test_a_graded_quiz_takes_answers_and_counts_what_it_cannot_judge(
    bare: dict[str, bytes], tmp_path: Path, check: Checked
) -> None:
    copy = courses.lay_out(tmp_path / "copy", bare)
    quiz = load_course(copy).quizzes["self_test"]
    assert not any(question.spec.has_key for question in quiz.questions)  # type: ignore[attr-defined]
    code, report, _ = check(
        copy, "self_test.yaml", "quiz: self_test\nanswers:\n  formula: softmax(Q K^T / sqrt(d_k) + M) V\n"
    )
    assert (code, result(report)["verdict"]) == (1, "not_judged")
    assert report["not_judged"] == 1


def test_a_practice_quiz_keeps_its_keys(copy: Path, judge: Path) -> None:
    here, there = (load_course(root).quizzes["foundations"].questions for root in (copy, judge))
    assert [(q.id, kind_of(q), q.explanation) for q in here] == [(q.id, kind_of(q), q.explanation) for q in there]
    assert all(kind_of(q).has_key for q in here)


# ---------------------------------------------------------------- redaction of the built-in course


def test_no_line_of_the_reference_is_in_a_learners_copy(bare: dict[str, bytes]) -> None:
    lines = reference_lines()
    assert len(lines) > 600
    released = b"\n".join(data for _, data in contents(bare))
    assert [line for line in sorted(lines) if line.encode() in released] == []


def reference_lines() -> set[str]:
    """Return the lines inside functions of the reference that say something: long enough not to stand anywhere by chance."""
    import ast

    found: set[str] = set()
    for path in sorted((ROOT / "reference_impl").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        rows = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                found |= {row.strip() for row in rows[node.body[0].lineno - 1 : node.end_lineno]}
    return {row for row in found if len(row) >= 24}


# ---------------------------------------------------------------- a copy that is damaged, or of another grader


def test_expectations_that_are_missing_are_our_fault(files: dict[str, bytes], tmp_path: Path) -> None:
    copy = courses.lay_out(tmp_path / "copy", files)
    (copy / "expectations/scale_scores.expect").write_bytes(b"half")
    exercise = load_course(copy).exercises["scale_scores"]
    result = grade_exercise(exercise, Submission("x.py", "scale_scores"), Settings(copy, {}), NoRunner())
    assert result.verdict is Verdict.GRADER_ERROR
    assert "scale_scores: its frozen expectations are missing or damaged: install the release again" in str(
        result.details
    )


class NoRunner:
    """What runs nothing: the fault is found before."""

    def run(self, plan: Plan, submission: Submission) -> Observations:
        """Never get here."""
        raise AssertionError("code of a learner was run")


def test_pairs_that_are_missing_are_our_fault(files: dict[str, bytes], tmp_path: Path) -> None:
    copy = courses.lay_out(tmp_path / "copy", files)
    (copy / "expectations/scale_scores.pairs").unlink()
    planned = plan(load_course(copy).exercises["scale_scores"])
    with pytest.raises(GraderError, match="its frozen expectations are missing or damaged"):
        thawed_pairs(planned, copy)


@pytest.mark.parametrize("index", ["", "[" * 100_000, "[]", '{"format": 2}', '{"format": 1}'])
def test_an_index_that_cannot_be_read_is_our_fault(
    files: dict[str, bytes], tmp_path: Path, check: Checked, index: str
) -> None:
    copy = courses.lay_out(tmp_path / "copy", {**files, INDEX: index.encode()})
    code, _, text = check(copy, "scale_scores.py", RIGHT)
    assert code == 3
    assert "expectations/index.json of the course cannot be read: install the release again" in text


DAMAGED: dict[str, Callable[[Any], Any]] = {
    "an empty mapping": lambda known: {},
    "a list": lambda known: [],
    "no traces": lambda known: {**known, "traces": []},
    "a case left out": lambda known: {**known, "right": dict(list(known["right"].items())[1:])},
    "a case too many": lambda known: {**known, "right": {**known["right"], "other": {"plain": 1}}},
    "an unknown tensor": lambda known: all_right(known, {"tensor": "999"}),
    "no tensor": lambda known: all_right(known, {"plain": "x"}),
    "no kind": lambda known: all_right(known, {}),
    "far too deep": lambda known: all_right(known, nested(250)),
    "too deep": lambda known: all_right(known, nested(50)),
    "gradients of another case": lambda known: {**known, "gradients": {"other": {"x": {"tensor": "0"}}}},
    "an unknown case in a trace": lambda known: all_traces(known, lambda t: {**t, "no/graded": next(iter(t.values()))}),
    "a trace cut off": lambda known: all_traces(known, lambda t: {c: [r[0], r[1][:3], *r[2:]] for c, r in t.items()}),
    "an example of no mistake": lambda known: {**known, "examples": [[["no_such"], *([{"dict": []}] * 3)]]},
}


def all_right(known: Any, node: object) -> Any:
    return {**known, "right": dict.fromkeys(known["right"], node)}


def all_traces(known: Any, change: Callable[[Any], Any]) -> Any:
    return {**known, "traces": [[ids, change(traces)] for ids, traces in known["traces"]]}


def nested(depth: int) -> dict[str, object]:
    return {"tuple": [nested(depth - 1)]} if depth else {"plain": 1}


def rewritten(data: bytes, change: Callable[[Any], Any]) -> bytes:
    """Return a frozen file with other JSON in it, under a digest that is right."""
    start = data.index(b"\n") + 33  # behind the magic and the digest
    size = int.from_bytes(data[start : start + 8], "little")
    text = json.dumps(change(json.loads(data[start + 8 : start + 8 + size]))).encode()
    body = len(text).to_bytes(8, "little") + text + data[start + 8 + size :]
    return data[: start - 32] + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize("damage", DAMAGED)
def test_expectations_of_another_shape_are_damaged_whatever_their_digest_says(
    files: dict[str, bytes], tmp_path: Path, damage: str
) -> None:
    name = "expectations/scale_scores.expect"
    copy = courses.lay_out(tmp_path / "copy", {**files, name: rewritten(files[name], DAMAGED[damage])})
    frozen = frozen_of(copy)
    assert frozen is not None
    with pytest.raises(GraderError, match="scale_scores: its frozen expectations are missing or damaged"):
        thawed(plan(load_course(copy).exercises["scale_scores"]), copy, frozen)


@pytest.mark.parametrize(
    "change",
    [
        lambda known: {},
        lambda known: [],
        lambda known: {**known, "rows": []},
        lambda known: {**known, "calls": known["calls"][1:]},
        lambda known: {**known, "calls": [f"{call}x" for call in known["calls"]]},
        lambda known: {**known, "forms": []},
        lambda known: {**known, "rows": [[form, count - 1, *more] for form, count, *more in known["rows"]]},
        lambda known: {**known, "pairs": [[] for _ in known["pairs"]]},
    ],
)
def test_pairs_of_another_shape_are_damaged_as_well(
    files: dict[str, bytes], tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    name = "expectations/temperature_softmax.pairs"
    copy = courses.lay_out(tmp_path / "copy", {**files, name: rewritten(files[name], change)})
    with pytest.raises(GraderError, match="its frozen expectations are missing or damaged"):
        thawed_pairs(plan(load_course(copy).exercises["temperature_softmax"]), copy)


@pytest.mark.parametrize(
    "change",
    [
        lambda index: {**index, "drawn": []},
        lambda index: {**index, "drawn": {"scale_scores": []}},
        lambda index: {**index, "drawn": {"scale_scores": {"batch": []}}},
        lambda index: {**index, "drawn": {"scale_scores": {"batch": {"scores": ["float32", [1], 0.5]}}}},
        lambda index: {**index, "seed": "0"},
        *(
            lambda index, weights=weights: {**index, "elsewhere": {"scale_scores": weights}}
            for weights in (["a", "b"], [-1.0], [1e308], "ab", {"a": 1})
        ),
    ],
)
def test_an_index_of_another_shape_is_our_fault(
    files: dict[str, bytes], tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    index = json.dumps(change(json.loads(files[INDEX]))).encode()
    copy = courses.lay_out(tmp_path / "copy", {**files, INDEX: index})
    with pytest.raises(GraderError, match=r"index\.json of the course cannot be read: install the release again"):
        frozen_of(copy)


def test_other_inputs_than_those_of_the_copy_are_not_judged_with_it(copy: Path) -> None:
    frozen = frozen_of(copy)
    assert frozen is not None
    exercise = load_course(copy).exercises["scale_scores"]
    assert thawed(plan(exercise), copy, frozen).right
    with pytest.raises(GraderError, match="the answers for seed 0 only"):
        thawed(plan(exercise, seed=1), copy, frozen)
    frozen.drawn["scale_scores"]["batch"]["scores"][2] += 0.01  # type: ignore[index]
    with pytest.raises(GraderError, match="the inputs drawn here are not those"):
        thawed(plan(exercise), copy, frozen)


def test_pairs_of_mistakes_survive_the_way_through_bytes(files: dict[str, bytes]) -> None:
    data = files["expectations/temperature_softmax.pairs"]
    pairs = thaw_pairs(data)
    assert pairs is not None
    assert len(pairs) > 30
    assert freeze_pairs(pairs) == data
    assert thaw_pairs(freeze_pairs({})) == {}
    assert thaw_pairs(data[:-1]) is None
    assert thaw_pairs(b"") is None


# ---------------------------------------------------------------- the wheel, installed


@pytest.fixture(scope="module")
def installed(judge: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The learner's wheel, installed beside nothing of the project: what it needs is taken from where the tests run."""
    root = tmp_path_factory.mktemp("installed")
    folder = courses.lay_out(root / "release", release(Release(judge, "learner", only=("scale_scores",))))
    (wheel,) = (folder / "wheels").iterdir()
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--target",
        str(root / "here"),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True, timeout=100)
    (root / "needs").mkdir()
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if "attention_grader" not in path.name:
            (root / "needs" / path.name).symlink_to(path)
    path = os.pathsep.join((str(root / "here"), str(root / "needs")))
    return folder, {**os.environ, "PYTHONPATH": path, "PYTHONNOUSERSITE": "1", "HOME": str(root)}


def grader(where: tuple[Path, dict[str, str]], *arguments: str, python: str = "") -> subprocess.CompletedProcess[str]:
    command = [python or os.path.realpath(sys.executable), "-P", "-m", "grader", *arguments]
    return subprocess.run(
        command, cwd=where[0], env=where[1], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=100, check=False
    )  # fmt: skip


@pytest.mark.skipif(sys.version_info < (3, 11), reason="-P is new in Python 3.11")
def test_the_installed_copy_grades_in_its_own_folder(installed: tuple[Path, dict[str, str]]) -> None:
    (installed[0] / "scale_scores.py").write_text(RIGHT)
    right = grader(installed, "check", ".")
    assert (right.returncode, "judged elsewhere: 1" in right.stdout) == (0, True), right.stderr
    here = read_folder(Path(installed[1]["PYTHONPATH"].split(os.pathsep)[0]))
    assert [name for name in here if "reference_impl" in name] == ["grader/_course/reference_impl/mistakes.yaml"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="-P is new in Python 3.11")
def test_neither_package_runs_beside_the_other(installed: tuple[Path, dict[str, str]]) -> None:
    here = installed[1]["PYTHONPATH"].split(os.pathsep)[0]
    beside = grader((installed[0], {**installed[1], "PYTHONPATH": here}), "list", python=sys.executable)
    assert beside.returncode == 2
    assert "attention-grader and attention-grader-learner are both installed, and each must be alone." in beside.stderr


def test_a_package_with_both_courses_in_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grader as package

    courses.lay_out(tmp_path / "_course", {"course.yaml": b"", "reference_impl/__init__.py": b""})
    monkeypatch.setattr(package, "__file__", str(tmp_path / "__init__.py"))
    assert find_course() == tmp_path / "_course"
    courses.lay_out(tmp_path / "_course", {INDEX: b"{}"})
    with pytest.raises(NoCourse):
        find_course()


# ---------------------------------------------------------------- the whole course


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_the_whole_course_is_released_without_its_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran = CliRunner().invoke(
        cli, ["course", "release", str(tmp_path / "out"), "--for", "learner", "--course", str(ROOT)]
    )
    assert ran.exit_code == 0, ran.output
    course = {n: d for n, d in contents(read_folder(tmp_path / "out")) if "/_course/" in n or ".whl" not in n}
    released = b"\n".join(course.values())
    assert sum(name.endswith(".pairs") for name in course) == len(load_course(ROOT).exercises)
    assert [line for line in sorted(reference_lines()) if line.encode() in released] == []


@pytest.mark.slow
def test_no_quiz_of_the_course_would_tell_its_keys_if_it_were_graded(tmp_path: Path) -> None:
    quizzes = tuple(load_course(ROOT).quizzes)
    root = part_of_the_course(tmp_path / "course", ("scale_scores", *quizzes), graded=True)
    looked_for, found = told_by_keys(root, courses.learner_course(root, (), None, lambda _: None))
    assert (looked_for > 500, found) == (True, [])
