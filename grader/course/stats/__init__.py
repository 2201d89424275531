"""A graded class in, what it tells about the course out: scores, how hard and how telling each item is, and mistakes over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from statistics import median

from grader.course.gradebook import NOT_ASKED, Book, Cell, rows
from grader.course.marks import Marks, with_marks
from grader.course.store import Store
from grader.course.store.codec import loads
from grader.kinds.reports.cases import by_case
from grader.model import Result, Verdict

FEWEST = 5
"""Learners below which a correlation says nothing."""


@dataclass(frozen=True)
class Item:
    """An exercise, a quiz, a question or a case. `difficulty` is the mean share of its points: 1 is easy.

    `discrimination` is the correlation of the share with what the learner has in everything else (corrected item-total correlation,
    as in classical test theory); None where it cannot be told.
    """

    slug: str
    part: str
    learners: int
    difficulty: float
    discrimination: float | None
    hidden: bool = False


@dataclass(frozen=True)
class Seen:
    """A known mistake (or several that are one): in how many learners' work it was found, and what became of it.

    `gone` is how many of them handed in again without it, `tries` the median number of submissions with it until then.
    """

    mistakes: tuple[str, ...]
    learners: int
    now: int
    gone: int
    tries: float | None
    slugs: tuple[str, ...]


@dataclass(frozen=True)
class Stats:
    """What a class tells. `percents` are the totals of those who handed in anything that could be graded."""

    percents: tuple[float, ...]
    items: tuple[Item, ...]
    parts: tuple[Item, ...]
    mistakes: tuple[Seen, ...]
    verdicts: Mapping[str, Mapping[str, int]]
    enrolled: int


@dataclass
class _Gathered:
    """What is kept of the class while it is read, numbers alone."""

    percents: list[float] = field(default_factory=list)
    shares: dict[tuple[str, str], list[tuple[float, float]]] = field(default_factory=dict)  # item -> (share, the rest)
    hidden: set[tuple[str, str]] = field(default_factory=set)
    verdicts: dict[str, dict[str, int]] = field(default_factory=dict)
    histories: dict[tuple[str, ...], list[tuple[str, list[bool]]]] = field(default_factory=dict)
    enrolled: int = 0


def statistics(store: Store, book: Book) -> Stats:
    """Return the statistics of a class; only one learner's results are held at a time."""
    found = _Gathered()
    for row in rows(store, book):
        found.enrolled += 1
        for slug, cell in row.cells.items():
            if cell.verdict == NOT_ASKED:
                continue
            counter = found.verdicts.setdefault(slug, {})
            counter[cell.verdict] = counter.get(cell.verdict, 0) + 1
        handed = {slug: cell for slug, cell in row.cells.items() if _handed_in(cell)}
        if row.percent is not None and handed:
            found.percents.append(row.percent)
        marks = store.marks(row.person.id)
        for slug, cell in handed.items():
            _add(found, slug, cell, _rest(book, handed, slug), row.person.id, marks)
        _histories(found, store, row.person.id, [attempt.id for attempt in row.attempts])
    items = [_item(found, key) for key in found.shares]
    order = {slug: at for at, slug in enumerate(book.wanted.slugs)}
    whole = sorted((item for item in items if not item.part), key=lambda item: order[item.slug])
    parts = sorted((item for item in items if item.part), key=lambda item: order[item.slug])
    mistakes = sorted(
        (_seen(*entry) for entry in found.histories.items()), key=lambda seen: (-seen.learners, seen.mistakes)
    )
    return Stats(tuple(found.percents), tuple(whole), tuple(parts), tuple(mistakes), found.verdicts, found.enrolled)


def _handed_in(cell: Cell) -> bool:
    """Whether there is work behind a cell; a file that is the starter still is none."""
    return cell.record is not None and cell.judged and cell.verdict != Verdict.NOT_SUBMITTED.value


def gone_in_order(mistakes: Iterable[Seen]) -> list[Seen]:
    """Return the mistakes that went away, those that go soonest first."""
    return sorted(
        (seen for seen in mistakes if seen.tries is not None),
        key=lambda seen: (seen.tries or 0.0, -seen.gone, seen.mistakes),
    )


def _rest(book: Book, handed: Mapping[str, Cell], slug: str) -> float:
    """Return the share of the total that a learner has in everything but `slug`."""
    others = [cell for name, cell in handed.items() if name != slug]
    weight = fsum(book.weight(cell.slug) for cell in others)
    return fsum(book.weight(cell.slug) * cell.fraction for cell in others) / weight if weight > 0 else -1.0


def _add(found: _Gathered, slug: str, cell: Cell, rest: float, learner: str, marks: Marks) -> None:
    assert cell.record is not None
    score, most = cell.record.score, cell.record.max_score
    result: Result = loads(cell.record.result)
    if cell.record.kind == "quiz":
        result = with_marks(result, loads(cell.record.given), learner, marks)
        score, most = result.score, result.max_score
    found.shares.setdefault((slug, ""), []).append((score / most if most > 0 else 0.0, rest))
    for outcome in by_case(result.outcomes):
        if outcome.max_points <= 0 or outcome.verdict in (Verdict.NOT_JUDGED, Verdict.GRADER_ERROR):
            continue
        others = most - outcome.max_points
        beside = (score - outcome.points) / others if others > 0 else rest
        key = (slug, outcome.case)
        found.shares.setdefault(key, []).append((outcome.points / outcome.max_points, beside))
        if outcome.hidden:
            found.hidden.add(key)


def _histories(found: _Gathered, store: Store, learner: str, attempts: Sequence[int]) -> None:
    """Add, for each mistake of a learner, in which of their submissions of an exercise it was found."""
    seen: dict[str, list[set[tuple[str, ...]]]] = {}
    for attempt in attempts:
        for record in store.records(attempt):
            if record.kind == "exercise" and record.verdict != Verdict.GRADER_ERROR.value:
                result: Result = loads(record.result)
                seen.setdefault(record.slug, []).append({diagnosis.mistakes for diagnosis in result.diagnoses})
    for slug, submissions in seen.items():
        for mistakes in sorted(set().union(*submissions)):
            found.histories.setdefault(mistakes, []).append(
                (f"{learner}\0{slug}", [mistakes in each for each in submissions])
            )


def _seen(mistakes: tuple[str, ...], histories: list[tuple[str, list[bool]]]) -> Seen:
    learners = {name.split("\0")[0] for name, _ in histories}
    now = {name.split("\0")[0] for name, there in histories if there[-1]}
    tries = [sum(there) for _, there in histories if not there[-1]]
    slugs = tuple(sorted({name.split("\0")[1] for name, _ in histories}))
    return Seen(mistakes, len(learners), len(now), len(learners - now), float(median(tries)) if tries else None, slugs)


def _item(found: _Gathered, key: tuple[str, str]) -> Item:
    pairs = found.shares[key]
    shares = [share for share, _ in pairs]
    told = [(share, rest) for share, rest in pairs if rest >= 0]
    return Item(*key, len(shares), fsum(shares) / len(shares), correlation(told), key in found.hidden)


def correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Pearson's correlation, None for too few pairs or where one side does not vary."""
    if len(pairs) < FEWEST:
        return None
    means = [fsum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1)]
    centred = [(x - means[0], y - means[1]) for x, y in pairs]
    spread = [fsum(pair[side] ** 2 for pair in centred) for side in (0, 1)]
    if min(spread) < 1e-12:
        return None
    return max(-1.0, min(1.0, fsum(x * y for x, y in centred) / sqrt(spread[0] * spread[1])))
