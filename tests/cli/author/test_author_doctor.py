"""`grader author doctor`: each thing that should be mended is found at its place, with a remedy; nothing else is."""

# ruff: noqa: E501 (a table)
from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from grader.author.doctor import look_over

Run = Callable[..., Result]
Edit = Callable[[str, str, str], None]
EXERCISE, QUIZ = "exercises/01_twice_the_sum.yaml", "quizzes/01_warm_up.yaml"
OWN, TEXTS = "reference_impl/exercise_twice_the_sum.py", "reference_impl/mistakes.yaml"


def test_a_sound_course_has_nothing_to_mend(run: Run) -> None:
    shown = run("doctor").stdout
    assert "· course.yaml:2:1: no secret is named" in shown
    assert "✗" not in shown
    assert "✓ Nothing to mend in norms. Worth a look: 2." in shown


MENDED = [
    # what is changed, and the finding with its remedy
    ("course.yaml", "exercises: [twice_the_sum]", "exercises: []", f"course.yaml:4:1: modules: {EXERCISE} is in no module", "Name it in a module"),
    ("course.yaml", "exercises: [twice_the_sum]", "exercises: [twice_the_sum, gone]", "course.yaml:6:32: modules[0].exercises[1]: there is no file", "Make it with `grader author new`"),
    ("course.yaml", "preload: []", "preload: [json, no_such_module.part]", "course.yaml:9:17: no_such_module.part cannot be imported here", "pip install no_such_module"),
    ("course.yaml", "preload: []", "preload: []\nsecret: {env: NO_SUCH_SECRET}", "course.yaml:10:15: the environment variable of the secret is not set here", "Set NO_SUCH_SECRET"),
    ("course.yaml", "preload: []", "preload: []\nsecret: {file: ../secret}", "course.yaml:10:16: the file of the secret is not here", "Write some random words"),
    ("course.yaml", "# yaml-language-server", "# yaml", "course.yaml:1:1: no schema is named", "# yaml-language-server: $schema=schemas/course.schema.json"),
    (QUIZ, "../schemas/quiz", "../schemas/quizz", f"{QUIZ}:1:1: the schema ../schemas/quizz.schema.json is not there", "grader author schema --out schemas"),
    (EXERCISE, "zh: 和的两倍", "zh: （待译）Twice", f"{EXERCISE}:4:32: this text is not translated", "Write it in Chinese."),
    (EXERCISE, "zh: 在最后一步之前，结果是什么样子？", "zh: What does it look like?", f"{EXERCISE}:45:9: this text is not translated", "Write it in Chinese."),
    (EXERCISE, "    zh: 在最后一步之前，结果是什么样子？\n", "", "the text in zh is missing", "Write it: every text stands there in each language."),
    (EXERCISE, "- returns: a new tensor;", r"- returns: $\nosuch{x}^2$, a new tensor;", rf"{EXERCISE}:12:17: the formula `\nosuch{{x}}^2` does not show in a page: `\nosuch` is not known", "as code in backticks"),
    (EXERCISE, "reference: twice_the_sum", "reference: twice_the_sun", f"{EXERCISE}:24:12: the reference has no function `twice_the_sun`", "Did you mean `twice_the_sum`?"),
    (EXERCISE, "reference: twice_the_sum", "reference: quite_else", f"{EXERCISE}:24:12: the reference has no function `quite_else`", "Write it, or name another one."),
    (EXERCISE, "{normal: [B, T, D]}\n  y", "{normall: [B, T, D]}\n  y", f"{EXERCISE}:27:7: inputs.x.normall: unknown word `normall`", "grader author words"),
    (EXERCISE, "points: 5", "points: five", f"{EXERCISE}:5:9: points: got 'five'", "Change this line"),
    (OWN, '"twice_the_sum_not_doubled": {', '"silent": {', f"{OWN}:41:5: nothing is said of the mistake silent", f"Write its text under this id in {TEXTS}."),
    (OWN, '"twice_the_sum_not_doubled": {', '"other": {', f"{TEXTS}:5:1: this text belongs to no mistake of the reference", "Add twice_the_sum_not_doubled to MISTAKES, or delete the text."),
    (OWN, "from torch import Tensor", "from torch import Tensr", f"{OWN}:12:1: reference_impl of the course does not load", "Mend this line"),
    ("reference_impl/mistakes.py", "] = {}", "] = {'far': {'no_step': len}}", "reference_impl/mistakes.py:8:", "Name a field of Steps."),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "found", "remedy"), [row for row in MENDED if row[3]])
def test_what_should_be_mended_is_found(
    run: Run, edit: Edit, file: str, old: str, new: str, found: str, remedy: str
) -> None:
    edit(file, old, new)
    shown = run("doctor", code=1).stdout.splitlines()
    told = [(line, after) for line, after in itertools.pairwise(shown) if line.startswith("✗") and found in line]
    assert told, "\n".join(shown)
    assert any(after.startswith("  → ") and remedy in after for _, after in told)


def test_two_files_with_one_number_are_found(course: Path, run: Run) -> None:
    run("new", "exercise", "more")
    (course / "exercises/02_more.yaml").rename(course / "exercises/01_more.yaml")
    assert (
        "✗ exercises/01_twice_the_sum.yaml:1:1: the number 01 is that of 01_more.yaml too"
        in run("doctor", code=1).stdout
    )


def test_a_question_that_nobody_can_judge_is_found(run: Run, edit: Edit) -> None:
    edit(QUIZ, "questions:", "graded: true\nquestions:")
    edit(QUIZ, "    key: 12\n", "")
    edit(QUIZ, "- value: 6\n", "- value: 6.5\n")
    shown = run("doctor", code=1).stdout
    assert f"✗ {QUIZ}:38:9: the question by_hand has no key: nobody can judge it" in shown


NOTED = [
    (EXERCISE, "{en: one row, zh: 一行}", "one row", f"· {EXERCISE}:36:12: names of cases that are in one language only: 1"),
    (QUIZ, "key: 12", "key: 12", f"· {QUIZ}:37:9: the key of by_hand is typed in, and held against nothing"),
    (EXERCISE, "  - twice_the_sum_not_doubled\n", "  []\n", f"· {OWN}:41:5: no exercise catches the mistake twice_the_sum_not_doubled"),
    (OWN, '{"twice_the_sum": twice_the_sum}', '{"twice_the_sum": twice_the_sum, "idle": twice_the_sum_double}', f"· {OWN}:22:1: no exercise and no quiz uses the function idle"),
    ("schemas/quiz.schema.json", "{", " {", "· schemas/quiz.schema.json:1:1: this schema is not that of this grader"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "found"), NOTED)
def test_what_is_worth_a_look_leaves_the_exit_code(
    run: Run, edit: Edit, file: str, old: str, new: str, found: str
) -> None:
    edit(file, old, new)
    assert found in run("doctor").stdout


def test_a_reason_that_is_out_of_date_is_found(course: Path, run: Run) -> None:
    (course / "reference_impl/not_shown.yaml").write_text(
        "TTS1: {en: Cannot show., zh: 无法出现。}\n", encoding="utf-8"
    )
    assert "· reference_impl/not_shown.yaml:1:7: TTS1 is caught now" in run("doctor").stdout


def test_a_secret_that_is_there_is_fine(course: Path, edit: Edit) -> None:
    edit("course.yaml", "preload: []", "preload: []\nsecret: {env: THE_SECRET}")
    assert [one.place for one in look_over(course, {"THE_SECRET": "abc"}) if one.place.startswith("course.yaml")] == []


def test_own_words_that_do_not_load_are_told_once(course: Path, run: Run) -> None:
    (course / "kinds").mkdir()
    (course / "kinds/broken.py").write_text("1 / 0\n")
    shown = run("doctor", code=1).stdout
    assert shown.count("ZeroDivisionError") == 1


@pytest.mark.parametrize("file", [TEXTS, EXERCISE, QUIZ, "course.yaml"])
def test_of_a_file_that_does_not_parse_nothing_is_said_but_that(course: Path, run: Run, file: str) -> None:
    before = run("doctor").stdout.splitlines()
    first, rest = (course / file).read_text(encoding="utf-8").split("\n", 1)
    (course / file).write_text(f"{first}\nbroken: [\n{rest}", encoding="utf-8")
    lines = [line for line in run("doctor", code=1).stdout.splitlines() if line.startswith(("✗", "·"))]
    (told,) = (line for line in lines if line not in before)
    assert told.startswith(f"✗ {file}:")


def test_it_speaks_chinese(run: Run, edit: Edit) -> None:
    edit(EXERCISE, "zh: 和的两倍", "zh: （待译）Twice")
    assert "这段文字还没有翻译\n  → 请用中文写出来。" in run("doctor", "--lang", "zh", code=1).stdout
