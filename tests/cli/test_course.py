"""`grader course …` on a small class: graded once, then looked at, changed and marked in copies of the folder."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_class import WRONG_HALVE, learners, write_course, write_files

from grader.cli import cli
from grader.course.batch.tasks import course_at
from grader.course.store import Store

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    root = tmp_path_factory.mktemp("class")
    write_course(root / "course")
    learners(root / "subs")
    write_files(root, {"roster.csv": "learner,name,email\nann,Ann Ä,ann@example.org\nben,=1+1,\nzoe,Zoe,\n"})
    return root, course("grade", root / "subs", "--out", root / "out", "--course", root / "course", "--isolation", "best",
                       "--jobs", 1, "--roster", root / "roster.csv")  # fmt: skip


def course(*arguments: object, keys: str = "") -> Result:
    course_at.cache_clear()
    return CliRunner().invoke(cli, ["course", *map(str, arguments)], input=keys)


@pytest.fixture
def class_(graded: tuple[Path, Result], tmp_path: Path) -> Path:
    shutil.copytree(graded[0], tmp_path / "copy")
    with Store(tmp_path / "copy" / "out") as store:
        settings = json.loads(store.fact("settings"))
        store.remember("settings", json.dumps({**settings, "course": str(tmp_path / "copy" / "course")}))
    return tmp_path / "copy"


def table(text: str) -> dict[str, dict[str, str]]:
    return {row["learner"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


# ---------------------------------------------------------------- grade


def test_a_run_ends_with_verdicts_and_the_slowest(graded: tuple[Path, Result]) -> None:
    result = graded[1]
    assert result.exit_code == 0, result.output
    assert "passed" in result.stdout
    assert "halve" in result.stdout
    assert "gus.zip: The zip cannot be read" in result.stdout
    assert "The slowest:" in result.stdout
    assert "7 of 7 submissions" in result.stderr


def test_each_learner_has_a_page_and_a_report(graded: tuple[Path, Result]) -> None:
    reports = graded[0] / "out" / "reports"
    assert sorted(path.stem for path in reports.glob("*.json")) == sorted(path.stem for path in reports.glob("*.html"))
    ben = json.loads((reports / "ben.json").read_text())
    assert [(r["slug"], r["verdict"]) for r in ben["results"]] == [
        ("halve", "failed"),
        ("mix", "errored"),
        ("recall", "failed"),
    ]
    assert ben["results"][0]["diagnoses"][0]["mistakes"] == ["not_halved"]
    assert "Nothing was halved." in (reports / "ben.html").read_text()
    zoe = json.loads((reports / "zoe.json").read_text())
    assert {r["verdict"] for r in zoe["results"]} == {"not_submitted"}
    assert "The zip cannot be read" in (reports / "gus.html").read_text()


def test_usage_errors_write_nothing(class_: Path) -> None:
    nowhere = course("grade", class_ / "nowhere", "--out", class_ / "new", "--course", class_ / "course")
    assert (nowhere.exit_code, (class_ / "new").exists()) == (2, False)
    (class_ / "empty").mkdir()
    empty = course("grade", class_ / "empty", "--out", class_ / "new", "--course", class_ / "course")
    assert (empty.exit_code, (class_ / "new").exists()) == (2, False)
    assert "no submissions" in empty.stderr
    wrong = course(
        "grade", class_ / "subs", "--out", class_ / "new", "--course", class_ / "course", "--exercise", "halv"
    )
    assert "Did you mean 'halve'?" in wrong.stderr
    assert "no graded class" in course("gradebook", class_ / "empty").stderr


def test_inside_another_course_it_is_said_that_the_built_in_one_is_taken(
    class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (class_ / "course" / "deep").mkdir()
    monkeypatch.chdir(class_ / "course" / "deep")
    (class_ / "roster.csv").write_text("learner\nann\n")
    for at in ("grade.course_at", "sheets.load_course"):  # what comes after is not run: the built-in course is large
        monkeypatch.setattr(f"grader.cli.course.{at}", lambda root: sys.exit(9))
    for command in (
        ("grade", class_ / "subs"),
        ("sheets", "--roster", class_ / "roster.csv"),
    ):
        silent = course(*command, "--out", class_ / "new", "--course", class_ / "course")
        assert "built-in" not in silent.stderr
        result = course(*command, "--out", class_ / "new")
        assert f"add --course {(class_ / 'course').resolve()} to mean that" in result.stderr, command
    assert "所用的是内置课程" in course(*command, "--out", class_ / "new", "--lang", "zh").stderr


def test_records_of_one_course_are_not_gone_on_with_by_another(class_: Path) -> None:
    other = shutil.copytree(class_ / "course", class_ / "other")
    before = course("gradebook", class_ / "out").stdout
    given = ("grade", class_ / "subs", "--out", class_ / "out", "--isolation", "best", "--jobs", 1)
    for options in ((), ("--course", other)):
        refused = course(*given, *options)
        assert refused.exit_code == 2, refused.output
        assert f"or say --course {class_ / 'course'}" in refused.stderr
        assert course("gradebook", class_ / "out").stdout == before
    assert "是用另一门课程" in course(*given, "--lang", "zh").stderr
    assert f"`grader course regrade {class_ / 'out'} --course {other.resolve()}` goes over" in refused.stderr
    quiz = other / "quizzes" / "01_recall.yaml"
    quiz.write_text(quiz.read_text().replace("key: 2", "key: 3"))
    assert course("regrade", class_ / "out", "--course", other, "--jobs", 1, "--apply").exit_code == 0
    assert table(course("gradebook", class_ / "out").stdout)["ann"]["recall"] == "0"
    assert course(*given, "--course", class_ / "course").exit_code == 2
    shutil.move(other, class_ / "moved")
    other = class_ / "moved"
    assert course(*given, "--course", other).exit_code == 0


def test_what_is_written_does_not_go_among_the_submissions(class_: Path) -> None:
    given = ("--course", class_ / "course", "--isolation", "best", "--jobs", 1)
    for out in (class_ / "subs", class_ / "subs" / "out", class_ / "subs" / "ann" / "out"):
        refused = course("grade", class_ / "subs", "--out", out, *given)
        assert refused.exit_code == 2, refused.output
        assert f"{out} lies among the submissions" in refused.stderr
        assert not (out / "class.sqlite").exists()
    assert "位于提交之中" in course("grade", class_ / "subs", "--out", out, *given, "--lang", "zh").stderr


def test_a_single_file_is_no_class(class_: Path) -> None:
    work = class_ / "subs" / "ann.py"
    work.write_text("def halve(x):\n    return x / 2\n")
    refused_too = ("--out", class_ / "new", "--course", class_ / "course")
    refused = course("grade", work, *refused_too)
    assert (refused.exit_code, (class_ / "new").exists()) == (2, False)
    assert f"{work} is a file: expected a folder or a zip" in refused.stderr
    assert f"grader check {work}" in refused.stderr
    broken = class_ / "all.zip"
    broken.write_bytes(b"PK")
    assert "The zip cannot be read" in course("grade", broken, *refused_too).stderr
    assert "是一个文件" in course("grade", work, *refused_too, "--lang", "zh").stderr


def test_who_handed_in_and_is_not_in_the_roster_is_named(class_: Path) -> None:
    (class_ / "subs/notes.txt").write_text("no work")
    (class_ / "roster.csv").write_text("learner\n" + "".join(f"{name}\n" for name in ("ann", "cat", "dan", "zoe")))
    given = (
        "grade",
        class_ / "subs",
        "--out",
        class_ / "new",
        "--course",
        class_ / "course",
        "--isolation",
        "best",
        "--exercise",
        "recall",
    )
    result = course(*given, "--roster", class_ / "roster.csv")
    assert result.exit_code == 0, result.output
    assert "Not in the roster, graded all the same: ben, eve, fay, gus." in result.stderr
    assert "No submissions, passed over: notes.txt." in result.stderr
    assert "Not in the roster" not in course(*given).stderr
    assert "不在名单中" in course(*given, "--roster", class_ / "roster.csv", "--lang", "zh").stderr


# ---------------------------------------------------------------- gradebook


def test_the_gradebook_has_a_row_for_everybody_and_runs_no_formula(class_: Path) -> None:
    result = course("gradebook", class_ / "out")
    assert result.exit_code == 0, result.output
    rows = table(result.stdout)
    assert list(rows) == ["ann", "ben", "cat", "dan", "eve", "fay", "gus", "zoe"]
    assert rows["ann"] | {"halve": "4", "mix": "6", "recall": "2", "percent": "100", "waiting": "1"} == rows["ann"]
    assert rows["ben"]["name"] == "'=1+1"
    assert rows["zoe"]["missing"] == "halve; mix; recall"
    assert course("gradebook", class_ / "out").stdout_bytes == result.stdout_bytes


def test_a_due_date_takes_points_when_it_moves_and_gives_them_back(class_: Path) -> None:
    with Store(class_ / "out") as store:
        store.db.execute("update attempt set submitted_at = '2026-03-02T12:00:00+00:00' where name = 'ann'")
    late = "policy: {due: 2026-03-01, late: [{up_to: 2 d, minus: 25}], thresholds: {pass: 50}}\n"
    write_course(class_ / "course", late)
    ann = table(course("gradebook", class_ / "out").stdout)["ann"]
    assert (ann["halve"], ann["percent"], ann["grade"]) == ("3", "75", "pass")
    assert ann["late"] == "halve -25 %; mix -25 %; recall -25 %"
    write_course(class_ / "course", late.replace("2026-03-01", "2026-03-03"))
    assert table(course("gradebook", class_ / "out").stdout)["ann"]["halve"] == "4"


def test_a_page_shows_what_is_asked_of_its_learner(class_: Path) -> None:
    write_course(class_ / "course", "policy: {assigned: {ben: [mix]}}\n")
    given = ("grade", class_ / "subs", "--out", class_ / "out", "--course", class_ / "course", "--isolation", "best")
    assert course(*given).exit_code == 0
    reports = class_ / "out" / "reports"
    ben = json.loads((reports / "ben.json").read_text())
    assert [result["slug"] for result in ben["results"]] == ["mix"]
    assert ben["max_score"] == 6
    assert len(json.loads((reports / "ann.json").read_text())["results"]) == 3
    rows = table(course("gradebook", class_ / "out").stdout)
    assert (rows["ben"]["halve"], rows["ben"]["missing"], rows["ben"]["percent"]) == ("", "", "0")
    assert course("stats", class_ / "out").exit_code == 0


CANVAS = """\
Student,ID,SIS Login ID,Section,Halve (101),Mix (102),Other (103)
    Points Possible,,,,10,6,(read only)
"Ä, Ann",1,ann,A,,,
Ben,2,ben,A,EX,,
Stranger,3,stranger,A,5,5,5
"""


def test_canvas_gets_its_own_sheet_back_with_points_on_its_scale(class_: Path) -> None:
    sheet = class_ / "canvas.csv"
    sheet.write_text("\ufeff" + CANVAS)
    result = course("gradebook", class_ / "out", "--canvas", sheet)
    assert result.exit_code == 0, result.output
    heading, possible, *rows = csv.reader(io.StringIO(result.stdout, newline=""))
    assert heading == ["Student", "ID", "SIS Login ID", "Section", "Halve (101)", "Mix (102)"]
    assert possible[4:] == ["10", "6"]
    assert [row[4:] for row in rows] == [["10", "6"], ["EX", "0"], ["5", "5"]]
    assert rows[0][0] == "Ä, Ann"
    assert "cat is not in the sheet" in result.stderr


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (("Mix (102)", "Halve (102)"), (), "halve could be any of these columns: Halve (101), Halve (102)"),
        (("", ""), ("--column", "halve=Other (103)"), "read only"),
        (("", ""), ("--column", "halve=Nothing"), "no column Nothing"),
        (("Stranger,3,stranger", "Stranger,3,ann"), (), "ann could be 2 learners"),
        (("Student,ID", "Name,Number"), (), "no gradebook of Canvas"),
        (("Halve (101),Mix (102)", "A (101),B (102)"), (), "No column has the title"),
    ],
)
def test_canvas_columns_that_are_not_clear_are_refused(
    class_: Path, change: tuple[str, str], options: tuple[str, ...], said: str
) -> None:
    (class_ / "canvas.csv").write_text(CANVAS.replace(*change) if change[0] else CANVAS)
    result = course(
        "gradebook", class_ / "out", "--canvas", class_ / "canvas.csv", "--out", class_ / "import.csv", *options
    )
    assert result.exit_code == 1
    assert said in result.stderr
    assert not (class_ / "import.csv").exists()


MOODLE = """\
First name,Last name,Email address,Assignment: Halve (Real),Course total (Real)
Ann,A,ann,-,-
Ben,B,ben,-,-
"""


def test_moodle_finds_everything_that_would_abort_the_import(class_: Path) -> None:
    (class_ / "moodle.csv").write_text(MOODLE)
    result = course("gradebook", class_ / "out", "--moodle", class_ / "moodle.csv", "--out", class_ / "import.csv")
    assert result.exit_code == 1
    assert result.stderr.count("Moodle would know no such user") == 6
    assert not (class_ / "import.csv").exists()
    more = "".join(f"X,Y,{name},-,-\n" for name in ("cat", "dan", "eve", "fay", "gus", "zoe"))
    (class_ / "moodle.csv").write_text(MOODLE + more)
    whole = course("gradebook", class_ / "out", "--moodle", class_ / "moodle.csv", "--max", 20)
    assert whole.exit_code == 0, whole.output
    heading, *rows = csv.reader(io.StringIO(whole.stdout, newline=""))
    assert heading == ["Email address", "Halve", "Halve feedback"]
    assert rows[:2] == [["ann", "20", "4/4"], ["ben", "0", "0/4"]]
    (class_ / "moodle.csv").write_text(MOODLE + more + "Z,Z,ann,-,-\n")
    assert "ann is in" in course("gradebook", class_ / "out", "--moodle", class_ / "moodle.csv").stderr


# ---------------------------------------------------------------- regrade


def test_a_regrade_says_who_gains_before_anything_counts(class_: Path) -> None:
    path = class_ / "course" / "quizzes" / "01_recall.yaml"
    path.write_text(path.read_text().replace("key: 2", "key: 3"))
    dry = course("regrade", class_ / "out", "--jobs", 1)
    assert dry.exit_code == 0, dry.output
    assert "recall: 2 → 0  (the exercise has changed; sum: passed before, failed now)" in dry.stdout
    assert "recall: 0 → 2" in dry.stdout
    assert "Learners who gain: 1, who lose: 1." in dry.stdout
    before = table(course("gradebook", class_ / "out").stdout)
    assert before["ann"]["recall"] == "2"
    applied = course("regrade", class_ / "out", "--jobs", 1, "--apply")
    assert applied.exit_code == 0, applied.output
    after = table(course("gradebook", class_ / "out").stdout)
    assert (after["ann"]["recall"], after["ben"]["recall"]) == ("0", "2")
    assert {name: row["halve"] for name, row in after.items()} == {name: row["halve"] for name, row in before.items()}
    assert "gain: 0, who lose: 0" in course("regrade", class_ / "out", "--jobs", 1).stdout


def test_a_course_that_has_changed_without_a_regrade_is_told_of(class_: Path) -> None:
    said = "The course has changed since this class was graded: halve."
    for command in ("gradebook", "stats", "review"):
        assert "has changed" not in course(command, class_ / "out", keys="q").stderr, command
    path = class_ / "course" / "exercises" / "01_halve.yaml"
    path.write_text(path.read_text().replace("points: 4", "points: 8"))
    for command in ("gradebook", "stats", "review"):
        result = course(command, class_ / "out", keys="q")
        assert (result.exit_code, said in result.stderr) == (0, True), command
    assert f"grader course regrade {class_ / 'out'}" in result.stderr
    assert "自这个班级评分以来，课程已有改动：halve" in course("gradebook", class_ / "out", "--lang", "zh").stderr
    course("regrade", class_ / "out", "--jobs", 1, "--apply")
    after = course("gradebook", class_ / "out")
    assert "has changed" not in after.stderr
    assert table(after.stdout)["ann"]["halve"] == "8"
    reference = class_ / "course" / "reference_impl" / "__init__.py"
    reference.write_text(reference.read_text() + "\n")
    assert "graded: halve, mix." in course("gradebook", class_ / "out").stderr  # no quiz depends on it


def test_other_points_for_the_same_total_are_counted_aloud(class_: Path) -> None:
    path = class_ / "course" / "exercises" / "01_halve.yaml"
    path.write_text(path.read_text().replace("points: 4", "points: 8"))
    seen = course("regrade", class_ / "out", "--jobs", 1).stdout
    ann = seen.split("ann\n")[1].split("\n")
    assert ann[0].startswith("  halve: 4/4 → 8/8  (the exercise has changed"), seen
    assert not ann[1].startswith("  total")  # all of ann's answers are right, so the share of the whole is what it was
    gained, lost = (int(word) for word in re.search(r"who gain: (\d+), who lose: (\d+)\.", seen).groups())
    (same,) = re.search(r"other points and the same total in percent: (\d+)\.", seen).groups()
    heads = [row for row in seen.split("\nLearners who")[0].splitlines() if not row.startswith(" ")]
    assert (int(same) >= 1, gained + lost + int(same)) == (True, len(heads)), seen
    assert "得分有变化而总分百分比不变的学习者" in course("regrade", class_ / "out", "--jobs", 1, "--lang", "zh").stdout


def test_decisions_of_persons_outlive_a_regrade(class_: Path) -> None:
    decisions = class_ / "out" / "overrides.csv"
    decisions.write_text("learner,exercise,points,reason\nben,recall,1.5,talked about it\n")
    seen = course("regrade", class_ / "out", "--jobs", 1, "--apply")
    assert "recall: 0 → 1.5  (by decision of a person: talked about it)" in seen.stdout
    path = class_ / "course" / "quizzes" / "01_recall.yaml"
    path.write_text(path.read_text().replace("key: 2", "key: 3"))
    assert course("regrade", class_ / "out", "--jobs", 1, "--apply").exit_code == 0
    ben = table(course("gradebook", class_ / "out").stdout)["ben"]
    assert (ben["recall"], ben["overridden"]) == ("1.5", "recall: talked about it")
    assert "by decision of a person" in (class_ / "out" / "reports" / "ben.html").read_text()
    decisions.write_text(
        "learner,exercise,points,reason\nbenn,recall,1.5,x\nben,recal,1,x\nben,recall,much,x\nben,mix,1,\n"
    )
    wrong = course("gradebook", class_ / "out").stderr
    for line, said in (
        (2, "did you mean `ben`?"),
        (3, "did you mean `recall`?"),
        (4, "expected points"),
        (5, "a reason is missing"),
    ):
        assert any(f"overrides.csv:{line}:" in row and said in row for row in wrong.splitlines()), (line, wrong)


# ---------------------------------------------------------------- stats and review


class Page(HTMLParser):
    """What a page is made of: its tags, and whether anything would be fetched or run."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [
            f"{name}={value}" for name, value in attrs if name in ("src", "href", "style") or name.startswith("on")
        ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_statistics_are_one_page_that_fetches_and_runs_nothing(class_: Path, lang: str) -> None:
    result = course("stats", class_ / "out", "--lang", lang)
    assert result.exit_code == 0, result.output
    page = Page((class_ / "out" / "stats.html").read_text())
    assert page.outside == []
    assert "script" not in page.tags
    assert page.tags.count("svg") == page.tags.count("desc") == 3
    assert page.tags.count("table") >= 4
    assert "not_halved" in result.stdout


def test_statistics_count_who_handed_in_work(class_: Path) -> None:
    def facts(lang: str) -> str:
        assert course("stats", class_ / "out", "--lang", lang).exit_code == 0
        return (class_ / "out" / "stats.html").read_text()

    with Store(class_ / "out") as store:
        there = {store.db.execute("select learner from attempt where id = ?", (r.attempt,)).fetchone()[0]
                 for r in store.records()}  # fmt: skip
        assert len(there) < len({attempt.learner for attempt in store.attempts()})  # a zip of gus could not be read
    said = f"8 learners, of whom {len(there)} handed in something that could be graded."
    assert said in facts("en")
    assert "The median of their totals is" in facts("en")
    assert f"其中 {len(there)} 位提交了可以评分的内容" in facts("zh")
    with Store(class_ / "out") as store:  # what ann handed in is the starter still
        store.db.execute("update piece set verdict = 'not_submitted', score = 0 where attempt in "
                         "(select id from attempt where learner = 'ann')")  # fmt: skip
        store.db.execute("delete from piece where kind = 'quiz'")
    assert f"of whom {len(there) - 1} handed in" in facts("en")


def test_mistakes_are_followed_from_one_submission_to_the_next(class_: Path) -> None:
    from grader.course.stats import correlation, gone_in_order, statistics

    write_files(class_ / "subs", {f"ben@2026-03-0{day}T1200Z/halve.py": f"{WRONG_HALVE}# {day}\n" for day in (1, 2)})
    write_files(class_ / "subs", {"ben@2026-03-03T1200Z/halve.py": "def halve(x):\n    return 0.5 * x\n"})
    result = course(
        "grade",
        class_ / "subs",
        "--out",
        class_ / "out",
        "--course",
        class_ / "course",
        "--isolation",
        "best",
        "--jobs",
        1,
    )
    assert result.exit_code == 0, result.output
    from grader.cli.course.opening import open_graded

    with open_graded(class_ / "out", class_ / "course", "en") as opened:
        found = statistics(opened.store, opened.book)
    (seen,) = found.mistakes
    assert (seen.mistakes, seen.learners, seen.now, seen.gone, seen.tries) == (("not_halved",), 1, 0, 1, 3)
    assert gone_in_order(found.mistakes) == [seen]
    assert table(course("gradebook", class_ / "out").stdout)["ben"]["halve"] == "4"
    assert correlation([(0, 0), (1, 1), (0, 0), (1, 1), (0.5, 0.5)]) == pytest.approx(1)
    assert correlation([(0, 0), (1, 1)]) is None
    assert correlation([(1, 1)] * 9) is None


def test_answers_are_marked_with_one_key_and_the_queue_goes_on_where_it_stopped(class_: Path) -> None:
    first = course("review", class_ / "out", keys="x2q")
    assert first.exit_code == 0, first.output
    assert "Why divide?" in first.stdout
    assert "(1) names the variance" in first.stdout
    assert "Marked: 1. Still waiting: 1." in first.stdout
    assert "ann" not in first.stdout.replace("variance", "")  # who it is does not matter
    second = course("review", class_ / "out", keys="b3")
    assert "Marked: 1. Still waiting: 0." in second.stdout
    rows = table(course("gradebook", class_ / "out").stdout)
    assert sorted((rows["ann"]["recall"], rows["ben"]["recall"])) in (["2", "5"], ["3", "4"])
    assert (rows["ann"]["out_of"], rows["ann"]["waiting"]) == ("15", "0")
    assert "No answer waits" in course("review", class_ / "out").stdout
    assert "read by a person" in (class_ / "out" / "reports" / "ann.html").read_text()
