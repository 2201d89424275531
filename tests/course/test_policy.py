"""Due dates, lateness, weights and what counts: from `course.yaml` to a row of the gradebook."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from small_class import write_course

from grader.course.downloads import Person, Wanted
from grader.course.folder import load_course, load_policy
from grader.course.gradebook import Book, Row, made
from grader.course.gradebook.overrides import Override, Overrides
from grader.course.policy import Policy
from grader.course.store import Attempt, Record
from grader.model import AuthorError

POLICY = """\
policy:
  time_zone: Europe/Berlin
  due: {halve: 2026-03-01 18:00, mix: 2026-03-29}
  grace: 15 min
  late:
    - {up_to: 24 h, minus: 10}
    - {up_to: 3 d, minus: 50}
  extensions:
    ann: 2 d
    ben: {halve: 2026-03-05 12:00}
"""


def policy(root: Path, text: str) -> Policy:
    write_course(root, text)
    load_course(root)
    return load_policy(root)


@pytest.mark.parametrize(
    ("learner", "at", "minus"),
    [
        ("cat", "2026-03-01T18:15:00+01:00", 0),  # the grace
        ("cat", "2026-03-01T17:16:00+00:00", 10),
        ("cat", "2026-03-02T18:16:00+01:00", 50),
        ("cat", "2026-03-04T18:16:00+01:00", 100),
        ("cat", "2026-03-01T18:16:00", 10),  # without a zone: the zone of the course
        ("cat", "", 0),
        ("ann", "2026-03-03T18:15:00+01:00", 0),
        ("ann", "2026-03-03T18:16:00+01:00", 10),
        ("ben", "2026-03-05T12:00:00+01:00", 0),
    ],
)
def test_lateness_costs_what_the_steps_say(tmp_path: Path, learner: str, at: str, minus: float) -> None:
    rules = policy(tmp_path, POLICY)
    assert rules.minus(rules.lateness(learner, "halve", at)) == minus


def test_a_day_ends_with_its_last_minute_and_clocks_that_change_are_seen(tmp_path: Path) -> None:
    rules = policy(tmp_path, POLICY)
    due = rules.due_for("cat", "mix")
    assert due is not None
    assert due.isoformat() == "2026-03-29T23:59:00+02:00"
    assert rules.lateness("cat", "mix", "2026-03-29T22:59:00+00:00") == timedelta(hours=1)
    night = policy(tmp_path / "night", "policy: {time_zone: Europe/Berlin, due: 2026-10-25 02:30}\n")
    assert night.due_for("cat", "mix").astimezone(rules.zone).isoformat() == "2026-10-25T02:30:00+01:00"  # type: ignore[union-attr]
    assert night.lateness("cat", "mix", "2026-10-25T01:31:00+00:00") == timedelta(minutes=1)


def test_no_policy_means_that_points_are_weights_and_nothing_is_late(tmp_path: Path) -> None:
    assert policy(tmp_path, "") == Policy()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("policy: {time_zone: Mars/Olympus}\n", "policy.time_zone: there is no time zone 'Mars/Olympus'"),
        ("policy: {time_zone: ../../etc/passwd}\n", "policy.time_zone: there is no time zone"),
        ("policy: {due: tomorrow}\n", "policy.due: 'tomorrow' is no time"),
        ("policy: {due: {halve: 2026-02-30}}\n", "policy.due.halve: '2026-02-30' is no time"),
        ("policy: {due: {halv: 2026-02-20}}\n", "policy.due.halv: the course has no `halv` — did you mean `halve`?"),
        ("policy: {weights: {mixx: 2}}\n", "policy.weights.mixx: the course has no `mixx` — did you mean `mix`?"),
        ("policy: {weights: {mix: -2}}\n", "policy.weights.mix: got -2, expected at least 0"),
        ("policy: {bonus: [recal]}\n", "policy.bonus[0]: the course has no `recal`"),
        (
            "policy: {assigned: {ann: [halve, mixx]}}\n",
            "policy.assigned.ann[1]: the course has no `mixx` — did you mean `mix`?",
        ),
        ("policy: {assigned: {ann: halve}}\n", "policy.assigned.ann: "),
        ("policy: {grace: long}\n", "policy.grace: 'long' is no span of time"),
        (
            "policy: {late: [{up_to: 2 d, minus: 10}, {up_to: 1 d, minus: 20}]}\n",
            "policy.late[1].up_to: steps must get longer",
        ),
        ("policy: {late: [{up_to: 2 d, minus: 110}]}\n", "policy.late[0].minus: got 110, expected at most 100"),
        ("policy: {extensions: {ann: soon}}\n", "policy.extensions.ann: 'soon' is neither a span"),
        ("policy: {extensions: {ann: {hal: 3 d}}}\n", "policy.extensions.ann.hal: the course has no `hal`"),
        ("policy: {attempts: worst}\n", "policy.attempts: got 'worst', expected one of"),
        ("policy: {tresholds: {A: 90}}\n", "did you mean `thresholds`?"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(tmp_path: Path, text: str, said: str) -> None:
    write_course(tmp_path, text)
    with pytest.raises(AuthorError) as caught:
        load_course(tmp_path)
    (problem,) = caught.value.problems
    assert problem.startswith("course.yaml:6:")
    assert said in problem


# ---------------------------------------------------------------- rows


def record(attempt: int, slug: str, score: float, most: float, verdict: str = "failed") -> Record:
    return Record(attempt, slug, "exercise", f"k{attempt}", json.dumps({}), "", verdict, score, most, 0.0, "", "")


def row(
    root: Path,
    text: str,
    found: dict[str, list[Record]],
    times: tuple[str, ...] = ("",),
    overrides: Overrides | None = None,
) -> Row:
    rules = policy(root, text)
    course = load_course(root)
    book = Book(course, Wanted.of(course, ("halve", "mix")), rules, overrides or {})
    attempts = tuple(Attempt(at, f"n{at}", "ann", time) for at, time in enumerate(times))
    records = {slug: [(attempts[r.attempt], r) for r in all_] for slug, all_ in found.items()}
    return made(book, Person("ann"), attempts, records, {})


TWO = {"halve": [record(0, "halve", 4, 4, "passed"), record(1, "halve", 1, 4)]}
DUE = "policy: {due: 2026-03-02, late: [{up_to: 7 d, minus: 50}], attempts: ATTEMPTS}\n"


@pytest.mark.parametrize(("kept", "points"), [("best", 2), ("last", 1), ("first", 2)])
def test_which_attempt_counts_is_a_rule(tmp_path: Path, kept: str, points: float) -> None:
    found = {"halve": [record(0, "halve", 4, 4, "passed"), record(1, "halve", 2, 4)]}
    late_first = row(tmp_path, DUE.replace("ATTEMPTS", kept), found, ("2026-03-04T00:00:00", "2026-03-04T00:00:01"))
    assert late_first.cells["halve"].points == points


def test_the_best_attempt_is_the_best_after_what_lateness_takes(tmp_path: Path) -> None:
    found = {"halve": [record(0, "halve", 3, 4), record(1, "halve", 4, 4, "passed")]}
    best = row(tmp_path, DUE.replace("ATTEMPTS", "best"), found, ("2026-03-01T00:00:00", "2026-03-04T00:00:00"))
    assert (best.cells["halve"].points, best.cells["halve"].attempt) == (3, "n0")


def test_weights_bonus_and_thresholds_make_the_grade(tmp_path: Path) -> None:
    found: dict[str, Any] = {"halve": [record(0, "halve", 2, 4)], "mix": [record(0, "mix", 6, 6, "passed")]}
    plain = row(tmp_path / "a", "", found)
    assert (plain.total, plain.out_of) == (8, 10)
    weighted = row(tmp_path / "b", "policy: {weights: {halve: 1, mix: 3}, thresholds: {B: 80, A: 90, C: 0}}\n", found)
    assert (weighted.percent, weighted.grade) == (87.5, "B")
    bonus = row(tmp_path / "c", "policy: {bonus: [mix]}\n", found)
    assert (bonus.total, bonus.out_of, bonus.percent) == (8, 4, 200)
    capped = row(tmp_path / "d", "policy: {bonus: [mix], at_most: 110}\n", found)
    assert capped.percent == pytest.approx(110)


def test_what_we_failed_at_leaves_the_maximum_and_what_is_missing_does_not(tmp_path: Path) -> None:
    ours = row(tmp_path, "", {"halve": [record(0, "halve", 0, 0, "grader_error")]})
    assert not ours.cells["halve"].judged
    assert ours.cells["mix"].verdict == "not_submitted"
    assert (ours.total, ours.out_of) == (0, 6)


def test_what_is_not_asked_of_a_learner_counts_neither_way(tmp_path: Path) -> None:
    found = {"halve": [record(0, "halve", 4, 4, "passed")], "mix": [record(0, "mix", 0, 6)]}
    text = "policy: {assigned: {ann: [halve], ben: [mix]}}\n"
    narrowed = row(tmp_path, text, found)
    assert (narrowed.total, narrowed.out_of, narrowed.cells["mix"].verdict) == (4, 4, "not_asked")
    assert not narrowed.cells["mix"].judged
    assert row(tmp_path, "policy: {assigned: {ben: [mix]}}\n", found).out_of == 10
    assert row(tmp_path, "policy: {assigned: {ann: []}}\n", found).percent is None
    decided = row(tmp_path, text, found, overrides={("ann", "mix"): Override(3, "asked for it")})
    assert (decided.total, decided.out_of) == (7, 10)


def test_an_override_wins_over_everything(tmp_path: Path) -> None:
    found = {"halve": [record(0, "halve", 0, 0, "grader_error")]}
    text = DUE.replace("ATTEMPTS", "best")
    decided = row(tmp_path, text, found, ("2026-03-04T00:00:00",), {("ann", "halve"): Override(3, "talked about it")})
    assert (decided.cells["halve"].points, decided.total, decided.out_of) == (3, 3, 10)
