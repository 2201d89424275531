"""Graded quizzes with numbers of each learner's own: the same from sheet to regrade, whatever the sheet says."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from small_class import COURSE, write_course, write_files

from grader.author.draws import freeze
from grader.cli import cli
from grader.course.batch.tasks import course_at
from grader.course.folder import load_course, load_policy
from grader.course.store import Store
from grader.course.store.codec import loads
from grader.course.variants import NoSecret, draw_of, variant_secret
from grader.kinds.drawn import DRAWS
from grader.model import AuthorError
from grader.stages.draws import drawn

NUMBERS = """\
title: {en: Numbers, zh: 数}
intro: {en: Answer., zh: 请作答。}
graded: true
questions:
  - id: less
    kind: number
    points: 2
    prompt: {en: 'One less than {n}?', zh: '{n} 减一？'}
    varies: {values: {n: {whole: [10, 9000]}}}
    key: "{n} - 1"
"""
VARIANTS = "policy: {variants: {file: variants.secret}}\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("numbers")
    write_course(root / "course")
    listed = COURSE.replace("[recall]", "[recall, numbers]")
    write_files(root, {"course/course.yaml": listed + VARIANTS, "course/quizzes/02_numbers.yaml": NUMBERS,
                       "course/variants.secret": "tree frog\n", "roster.csv": "learner\nann\nben\ncat\n"})  # fmt: skip
    path = root / "course" / "quizzes" / "02_numbers.yaml"
    draws = freeze(path, lambda *_: None)  # type: ignore[arg-type,return-value]
    assert draws is not None
    path.with_suffix(".draws.json").write_text(draws)
    return root


@pytest.fixture
def class_(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def course(root: Path, *arguments: object) -> Result:
    course_at.cache_clear()
    named = () if arguments[0] in ("gradebook", "regrade") else ("--course", root / "course")
    return CliRunner().invoke(cli, ["course", *map(str, (*arguments, *named))])


def grade(root: Path) -> Result:
    return course(root, "grade", root / "subs", "--out", root / "out", "--jobs", 1, "--isolation", "none")


def table(root: Path) -> dict[str, str]:
    shown = course(root, "gradebook", root / "out").stdout
    return {row["learner"]: row["numbers"] for row in csv.DictReader(io.StringIO(shown, newline=""))}


def right(root: Path, draw: int) -> int:
    """Return the right answer of a draw, as the course has it."""
    (question,) = drawn(load_course(root / "course").quizzes["numbers"], draw).questions
    return int(yaml.safe_load(str(question.prompt["en"]).split()[-1].rstrip("?"))) - 1


def answered(root: Path, learner: str, answer: int, draw: int) -> None:
    sheet = f"quiz: numbers\ndraw: {draw}\nanswers:\n  less: {answer}\n"
    write_files(root / "subs", {f"{learner}/numbers.yaml": sheet})


def test_each_learner_has_a_draw_that_does_not_change() -> None:
    found = {learner: draw_of(b"tree frog", learner, "numbers") for learner in map(str, range(200))}
    assert set(found.values()) == set(range(DRAWS))
    assert found == {learner: draw_of(b"tree frog", learner, "numbers") for learner in found}
    assert found != {learner: draw_of(b"tree", learner, "numbers") for learner in found}
    assert found != {learner: draw_of(b"tree frog", learner, "other") for learner in found}
    assert draw_of(b"tree frog", "ann", "numbers") == 9  # sheets are out there: this must never change


def test_sheets_have_the_numbers_that_are_graded_by(class_: Path) -> None:
    result = course(class_, "sheets", "--roster", class_ / "roster.csv", "--out", class_ / "sheets")
    assert result.exit_code == 0, result.output
    assert "Sheets: 3, for 3 learners." in result.stdout
    for learner in ("ann", "ben", "cat"):
        text = (class_ / "sheets" / learner / "numbers.yaml").read_text()
        draw = yaml.safe_load(text)["draw"]
        assert draw == draw_of(b"tree frog", learner, "numbers")
        answer = right(class_, draw) if learner != "cat" else 0
        write_files(class_ / "subs", {f"{learner}/numbers.yaml": text.replace("less:", f"less: {answer}")})
    assert grade(class_).exit_code == 0
    assert table(class_) == {"ann": "2", "ben": "2", "cat": "0"}
    again = course(class_, "sheets", "--roster", class_ / "roster.csv", "--out", class_ / "sheets")
    assert "is there already, and somebody may have answered it" in again.stderr
    assert again.exit_code == 2


def test_a_sheet_with_another_draw_is_judged_by_ones_own_and_says_so(class_: Path) -> None:
    own = draw_of(b"tree frog", "ann", "numbers")
    answered(class_, "ann", right(class_, own + 1), own + 1)  # a friend's answers
    answered(class_, "ben", right(class_, draw_of(b"tree frog", "ben", "numbers")), own + 1)
    assert grade(class_).exit_code == 0
    assert table(class_) == {"ann": "0", "ben": "2"}
    with Store(class_ / "out") as store:
        (record, _) = store.records()
    assert (loads(record.given).draw, loads(record.given).sheet_draw) == (own, own + 1)
    page = (class_ / "out" / "reports" / "ann.html").read_text()
    assert f"This sheet has the numbers of draw {own + 1}, yours are those of draw {own}" in page


def test_a_regrade_judges_by_the_same_numbers_without_the_secret(class_: Path) -> None:
    draw = draw_of(b"tree frog", "ann", "numbers")
    answered(class_, "ann", right(class_, draw), 0)
    assert grade(class_).exit_code == 0
    (class_ / "course" / "variants.secret").unlink()
    path = class_ / "course" / "quizzes" / "02_numbers.yaml"
    path.write_text(path.read_text().replace("points: 2", "points: 3"))
    result = course(class_, "regrade", class_ / "out", "--jobs", 1)
    assert "numbers: 2/2 → 3/3" in result.stdout, result.output
    refused = grade(class_)
    assert (refused.exit_code, "policy.variants:" in refused.stderr) == (3, True)
    assert "is not here, or empty" in refused.stderr


def test_where_the_secret_lies_is_said_in_one_way(class_: Path) -> None:
    rules = load_policy(class_ / "course")
    assert variant_secret(rules, class_ / "course", {}) == b"tree frog"
    path = class_ / "course" / "course.yaml"
    listed = path.read_text().replace(VARIANTS, "")
    path.write_text(listed + "policy: {variants: {env: SHEETS}}\n")
    assert variant_secret(load_policy(class_ / "course"), class_ / "course", {"SHEETS": "owl"}) == b"owl"
    with pytest.raises(NoSecret, match="is not here"):
        variant_secret(load_policy(class_ / "course"), class_ / "course", {"SHEETS": " "})
    path.write_text(listed + "policy: {variants: {env: SHEETS, file: x}}\n")
    with pytest.raises(AuthorError, match=r"course\.yaml:6:20: policy\.variants: expected one of `file` and `env`"):
        load_policy(class_ / "course")


def test_without_a_secret_or_numbers_that_vary_there_are_no_sheets_to_write(class_: Path) -> None:
    given = ("sheets", "--roster", class_ / "roster.csv", "--out", class_ / "sheets")
    path = class_ / "course" / "course.yaml"
    path.write_text(path.read_text().replace(VARIANTS, ""))
    bare = course(class_, *given)
    assert (bare.exit_code, "it says nothing yet" in bare.stderr) == (3, True)
    quiz = class_ / "course" / "quizzes" / "02_numbers.yaml"
    quiz.write_text(quiz.read_text().replace("graded: true", "graded: false"))
    practice = course(class_, *given)
    assert (practice.exit_code, "one sheet is right for everybody" in practice.stderr) == (2, True)
    assert not (class_ / "sheets").exists()
