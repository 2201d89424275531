"""`grader author verify`: what it names, what it keeps, what it says of broken promises and files, and proofs on every save."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from grader.author.proving import Prover
from grader.cli.author.proving import Watcher, saved_together

Run = Callable[..., Result]
Edit = Callable[[str, str, str], None]
EXERCISE, QUIZ = "exercises/01_twice_the_sum.yaml", "quizzes/01_warm_up.yaml"
OWN = "reference_impl/exercise_twice_the_sum.py"
KEPT = "as before: nothing has changed since"


def test_items_are_named_by_slug_by_file_and_by_folder(run: Run) -> None:
    for name in ("warm_up", QUIZ, f"./{QUIZ}", "quizzes", "quizzes/"):
        shown = run("verify", name).stdout
        assert shown.startswith("warm_up\n") and "twice" not in shown
    assert "✓ twice_the_sum" in run("verify", "warm_up", ".").stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("warm_upp", "There is no 'warm_upp'. Did you mean 'warm_up'?"),
        ("quizzes/01_warm_u.yaml", "Did you mean '01_warm_up.yaml'?"),
        ("", "There is no ''. There are: twice_the_sum, warm_up."),
        ("schemas", "schemas holds no exercise and no quiz of the course"),
    ],
)
def test_a_name_of_nothing_is_a_usage_error(run: Run, name: str, told: str) -> None:
    assert told in run("verify", name, code=2).stderr


def test_what_has_not_changed_is_not_proven_again(run: Run, edit: Edit) -> None:
    assert KEPT not in run("verify").stdout
    again = run("verify").stdout
    assert again.count(KEPT) == 2
    assert "✓ twice_the_sum  5 proven, unchanged" in again
    assert KEPT not in run("verify", "--all").stdout
    edit(QUIZ, "Two questions", "Some questions")
    shown = run("verify").stdout
    assert shown.count(KEPT) == 1 and "✓ warm_up        2 proven\n" in shown


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [(OWN, "Return twice the sum.", "Return the double."), ("reference_impl/mistakes.yaml", "was not", "is not")],
)
def test_a_change_of_the_reference_or_of_its_texts_asks_for_new_proofs(run: Run, edit: Edit, file, old, new) -> None:
    run("verify", "warm_up")
    edit(file, old, new)
    assert KEPT not in run("verify", "warm_up").stdout


def test_an_own_word_and_another_grader_ask_for_new_proofs(course: Path, tmp_path: Path, monkeypatch) -> None:
    import grader.author.proven as module

    first = module.shared_digest(course)
    assert module.shared_digest(course) == first
    (course / "kinds").mkdir()
    (course / "kinds/own.py").write_text('"""Nothing."""\n')
    with_words = module.shared_digest(course)
    assert with_words != first
    monkeypatch.setattr(module, "_machine", lambda: "another")
    assert module.shared_digest(course) not in (first, with_words)


def test_what_does_not_hold_is_never_kept(run: Run, edit: Edit) -> None:
    edit(EXERCISE, "D: 5}", "D: 3}")
    for _ in range(2):
        shown = run("verify", "twice_the_sum", code=1).stdout
        assert "✗ some open case has all sizes different — give one open case" in shown
        assert f"({EXERCISE}:35:3)" in shown
        assert "4 proofs hold, 1 do not." in shown


def test_a_cache_that_is_spoilt_or_cannot_be_written_costs_time_alone(course: Path, tmp_path: Path, run: Run) -> None:
    run("verify", "warm_up")
    (kept,) = (tmp_path / "cache/attention-grader/proofs").iterdir()
    for spoilt in ("", "[" * 100_000, "{}", '{"key": 3}', kept.read_text().replace('"fields"', '"field"')):
        kept.write_text(spoilt)
        assert KEPT not in run("verify", "warm_up").stdout
    kept.parent.rename(tmp_path / "away")
    (tmp_path / "cache/attention-grader/proofs").write_text("a file")
    assert "2 proofs hold" in run("verify", "warm_up").stdout


def test_a_misspelt_reference_has_its_place_and_the_nearest_name(run: Run, edit: Edit) -> None:
    edit(EXERCISE, "reference: twice_the_sum", "reference: twice_the_sun")
    shown = run("verify", "twice_the_sum", code=1).stdout
    assert "the reference has no function `twice_the_sun` — did you mean `twice_the_sum`?" in shown
    assert f"({EXERCISE}:24:12)" in shown


def test_a_misspelt_mistake_has_its_place_and_the_nearest_name(run: Run, edit: Edit) -> None:
    edit(EXERCISE, "- twice_the_sum_not_doubled", "- twice_the_sum_not_double")
    shown = run("verify", "twice_the_sum", code=1).stdout
    assert "the reference has no mistake of this name — did you mean `twice_the_sum_not_doubled`?" in shown
    assert f"({EXERCISE}:41:5)" in shown


def test_a_mistake_without_its_text_is_said(run: Run, edit: Edit) -> None:
    edit("reference_impl/mistakes.yaml", "twice_the_sum_not_doubled:", "another:")
    shown = run("verify", "twice_the_sum", code=1).stdout
    assert "reference_impl/mistakes.yaml has no `twice_the_sum_not_doubled`" in shown


def test_a_reference_that_raises_is_told_with_its_line(run: Run, edit: Edit) -> None:
    edit(OWN, "return 2 * total", "return 2 * total + total[9, 9, 9]")
    shown = run("verify", "twice_the_sum", code=1).stdout
    assert "the reference raised IndexError" in shown
    assert f"{OWN}:24" in shown


@pytest.mark.parametrize(
    "slip", ["2 * totl", "total // (1 // len([]))", "2 * torch.from_numpy(x.requires_grad_().numpy())"]
)
def test_a_slip_in_the_reference_is_its_authors_and_has_a_line(run: Run, edit: Edit, slip: str) -> None:
    edit(OWN, "return 2 * total", f"return {slip}")
    shown = run("verify", "twice_the_sum", code=1).stdout
    assert "the reference raised" in shown
    assert f"{OWN}:24" in shown


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "return 2 * total\n",
            "return 2 * (total\n",
            f"✗ {OWN}:24: reference_impl of the course does not load: SyntaxError",
        ),
        (
            "from torch import Tensor\n",
            "import no_such_thing\n",
            f"✗ {OWN}:12: reference_impl of the course does not load",
        ),
    ],
)
def test_a_reference_that_does_not_load_is_told_with_its_line(run: Run, edit: Edit, old, new, told) -> None:
    edit(OWN, old, new)
    assert told in run("verify", "twice_the_sum", code=3).stdout


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run: Run, edit: Edit) -> None:
    edit(EXERCISE, "points: 5", "pionts: 5")
    shown = run("verify", code=3).stdout
    assert f"✗ {EXERCISE}:5:1: pionts: unknown key — did you mean `points`?" in shown
    assert "✗ twice_the_sum  cannot be read" in shown
    assert "✓ warm_up        2 proven" in shown
    assert shown.endswith("2 proofs hold, 0 do not.\nNot proven, because a file cannot be read: twice_the_sum.\n")


def test_a_question_that_practises_what_is_not_there_is_said_with_its_place(run: Run, edit: Edit) -> None:
    edit(QUIZ, "practises: twice_the_sum          # the", "practises: twice_the_som          # the")
    shown = run("verify", "warm_up", code=1).stdout
    assert "after_doubling: the course has no exercise `twice_the_som` — did you mean `twice_the_sum`?" in shown
    assert f"({QUIZ}:10:9)" in shown


def test_the_json_report_says_it_all_and_where(course: Path, run: Run, edit: Edit) -> None:
    edit(EXERCISE, "D: 5}", "D: 3}")
    report = json.loads(run("verify", "--report", "json", code=1).stdout)
    assert {name: report[name] for name in ("format", "held", "broken", "unreadable")} == {
        "format": 1,
        "held": 6,
        "broken": 1,
        "unreadable": 0,
    }
    exercise, quiz = report["items"]
    assert (exercise["kind"], exercise["slug"], exercise["file"], exercise["state"]) == (
        "exercise",
        "twice_the_sum",
        EXERCISE,
        "broken",
    )
    (broken,) = [proof for proof in exercise["proofs"] if proof["holds"] is False]
    assert broken["place"] == f"{EXERCISE}:35:3"
    assert quiz["state"] == "proven" and quiz["proven_before"] is False


def test_a_report_into_a_file_leaves_the_text_on_the_screen(course: Path, run: Run) -> None:
    shown = run("verify", "warm_up", "--report", "json=proofs.json", "--report", "text=proofs.txt").stdout
    assert "2 proofs hold, 0 do not." in shown
    assert json.loads((course / "proofs.json").read_text(encoding="utf-8"))["held"] == 2
    assert (course / "proofs.txt").read_text(encoding="utf-8") == shown
    assert "There is no 'xml'" in run("verify", "--report", "xml", code=2).stderr


def test_the_table_speaks_chinese(run: Run) -> None:
    shown = run("verify", "--lang", "zh").stdout
    assert "✓ warm_up        已证明 2 项\n" in shown


# ---------------------------------------------------------------- on every save


@pytest.fixture
def watcher(course: Path) -> Callable[..., Watcher]:
    return lambda *slugs: Watcher(course, slugs, None, "en")


def test_a_saved_item_is_proven_and_others_are_left(course: Path, watcher, capsys) -> None:
    watcher().saved((course / QUIZ,))
    assert capsys.readouterr().out.startswith("warm_up\n")
    watcher("twice_the_sum").saved((course / QUIZ,))
    assert capsys.readouterr().out == ""


def test_a_saved_reference_is_tried_with_what_it_is_of_or_what_was_proven_last(
    course: Path, edit: Edit, watcher, capsys
) -> None:
    watched = watcher()
    shared = course / "reference_impl/steps.py"
    watched.saved((shared,))
    assert capsys.readouterr().out == "Save an exercise or quiz: then the reference is tried with it.\n"
    watched.saved((course / QUIZ,))
    watched.saved((shared,))
    assert capsys.readouterr().out.count("2 proofs hold, 0 do not.") == 2
    edit(OWN, "lambda total: total", "lambda total: total * 2")
    watched.saved((course / OWN,))
    assert "✗ catches and names twice_the_sum_not_doubled — it gets full marks" in capsys.readouterr().out
    edit(OWN, "lambda total: total * 2", "lambda total: total")
    watched.saved((course / OWN,))
    assert "5 proofs hold, 0 do not." in capsys.readouterr().out
    watcher("warm_up").saved((course / OWN,))
    assert capsys.readouterr().out.startswith("warm_up\n")


def test_what_cannot_be_read_is_said_and_watching_goes_on(course: Path, edit: Edit, watcher, capsys) -> None:
    watched = watcher("twice_the_sum")
    edit("course.yaml", "preload:", "prelaod:")
    watched.saved((course / "course.yaml",))
    assert "course.yaml:" in capsys.readouterr().out
    edit("course.yaml", "prelaod:", "preload:")
    edit(OWN, "return 2 * total\n", "return 2 * (total\n")
    watched.saved((course / OWN,))
    assert "SyntaxError" in capsys.readouterr().out


def test_saves_of_one_moment_come_together(course: Path) -> None:
    stop = threading.Event()
    found: Iterator[tuple[Path, ...]] = saved_together(course, poll=True, stop=stop)

    def save() -> None:
        for name in (QUIZ, OWN, "README.md"):
            (course / name).write_text((course / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")

    threading.Timer(0.3, save).start()
    try:
        assert {path.name for path in next(found)} == {Path(QUIZ).name, Path(OWN).name}
    finally:
        stop.set()


def test_watching_begins_with_what_is_named_and_ends_with_the_key(course: Path, run: Run, monkeypatch) -> None:
    import grader.cli.author.proving as module

    def interrupted(root: Path) -> Iterator[tuple[Path, ...]]:
        yield (course / QUIZ,)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "saved_together", interrupted)
    shown = run("verify", "warm_up", "--watch").stdout
    assert shown.startswith("Watching ") and shown.count("2 proofs hold, 0 do not.") == 2


def test_a_prover_lists_what_the_course_lists(course: Path) -> None:
    assert list(Prover(course).files) == ["twice_the_sum", "warm_up"]
