"""What `course.yaml` says under `policy` in, the rules of a gradebook out: what counts, how much, until when.

No result depends on any of it. Penalties are worked out from stored facts each time a gradebook is made, so that a due date that moves
takes its penalties along.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grader.model import Message, message
from grader.stages.spec.source import Problem, Source, Where, or_near

if TYPE_CHECKING:
    from grader.stages.spec.models import PolicyFile

BEST, LAST, FIRST = "best", "last", "first"
ALL = "all"

UNITS = {"min": 1, "h": 60, "d": 1440, "w": 10080}
DURATION = re.compile(r"(\d{1,6}) ?(min|h|d|w)")
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?")


@dataclass(frozen=True)
class LateStep:
    """Up to `until` after the due date (and the grace) a submission loses `minus` percent of its points."""

    until: timedelta
    minus: float


@dataclass(frozen=True)
class Policy:
    """The rules. `due` and `extensions` are by slug, the latter by learner first; a slug that is not in `weights` weighs its points."""

    zone: tzinfo = timezone.utc
    weights: Mapping[str, float] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    grace: timedelta = timedelta()
    late: tuple[LateStep, ...] = ()
    extensions: Mapping[str, Mapping[str, datetime | timedelta]] = field(default_factory=dict)
    attempts: str = BEST
    bonus: frozenset[str] = frozenset()
    at_most: float | None = None  # percent of the total that bonus can lead to
    thresholds: tuple[tuple[str, float], ...] = ()  # (grade, percent), the highest first
    assigned: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by learner: all that is asked of them
    variants: str | None = None  # "file:NAME" or "env:NAME" of the secret that gives each learner numbers of their own

    def asks(self, learner: str, slug: str) -> bool:
        """Return whether an exercise or quiz is asked of a learner."""
        return learner not in self.assigned or slug in self.assigned[learner]

    def due_for(self, learner: str, slug: str) -> datetime | None:
        """Return until when a learner may hand in without loss, the grace aside; None where there is no due date."""
        due = self.due.get(slug)
        given = self.extensions.get(learner, {})
        extension = given.get(slug, given.get(ALL))
        if due is None or extension is None:
            return due
        return due + extension if isinstance(extension, timedelta) else max(due, extension)

    def lateness(self, learner: str, slug: str, submitted_at: str) -> timedelta | None:
        """Return how late a submission is, None where it is not, or where nobody knows when it was handed in."""
        due = self.due_for(learner, slug)
        if due is None or not submitted_at:
            return None
        at = datetime.fromisoformat(submitted_at)
        at = at if at.tzinfo else at.replace(tzinfo=self.zone)
        late = at.astimezone(timezone.utc) - due.astimezone(
            timezone.utc
        )  # between two clocks of one zone DST is not seen
        return late if late > self.grace else None

    def minus(self, late: timedelta | None) -> float:
        """Return the percentage that is lost; beyond the last step all of it, without any step nothing."""
        if late is None or not self.late:
            return 0.0
        return next((step.minus for step in self.late if late - self.grace <= step.until), 100.0)

    def grade(self, percent: float) -> str:
        """Return the best grade that is reached, "" for none."""
        return next((name for name, least in self.thresholds if percent >= least - 1e-9), "")


DEFAULT = Policy()


def policy_of(file: PolicyFile | None, source: Source, slugs: Collection[str]) -> Policy | list[Problem]:
    """Return the rules that a course states, or every problem with them at its place."""
    if file is None:
        return DEFAULT
    problems: list[Problem] = []
    zone = _zone(file.time_zone, source, problems)
    for key in ("weights", "due"):
        named = getattr(file, key)
        problems.extend(_strangers(source, ("policy", key), named if isinstance(named, Mapping) else {}, slugs))
    for learner, asked in file.assigned.items():
        for number, slug in enumerate(asked):
            problems.extend(_stranger(source, ("policy", "assigned", learner, number), slug, slugs))
    for number, slug in enumerate(file.bonus):
        problems.extend(_stranger(source, ("policy", "bonus", number), slug, slugs))
    whole = dict.fromkeys(slugs, file.due) if isinstance(file.due, str) else dict(file.due)
    due: dict[str, datetime] = {}
    for slug, text in whole.items():
        at = ("policy", "due") if isinstance(file.due, str) else ("policy", "due", slug)
        found = _moment(text, zone)
        if found is None:
            problems.append(source.problem(at, _no_moment(text)))
        else:
            due[slug] = found
    made = Policy(
        zone,
        dict(file.weights),
        due,
        _duration(file.grace, ("policy", "grace"), source, problems),
        _late(file, source, problems),
        _extensions(file, source, slugs, zone, problems),
        file.attempts,
        frozenset(file.bonus),
        file.at_most,
        tuple(sorted(file.thresholds.items(), key=lambda entry: -entry[1])),
        {learner: frozenset(asked) for learner, asked in file.assigned.items()},
        _secret(file, source, problems),
    )
    return problems or made


def _secret(file: PolicyFile, source: Source, problems: list[Problem]) -> str | None:
    named = file.variants.model_dump(exclude_none=True) if file.variants else {}
    if file.variants and len(named) != 1:
        problems.append(source.problem(("policy", "variants"), message("expected one of `file` and `env`")))
    return next((f"{kind}:{name}" for kind, name in named.items()), None)


def _zone(name: str, source: Source, problems: list[Problem]) -> tzinfo:
    try:
        return timezone.utc if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        what = message("there is no time zone {name}; expected one such as Europe/Berlin", name=repr(name))
        problems.append(source.problem(("policy", "time_zone"), what))
        return timezone.utc


def _strangers(source: Source, path: Where, named: Mapping[str, object], slugs: Collection[str]) -> Iterator[Problem]:
    for slug in named:
        yield from _stranger(source, (*path, slug), slug, slugs, key=True)


def _stranger(
    source: Source, path: Where, slug: str, slugs: Collection[str], *, key: bool = False
) -> Iterator[Problem]:
    if slug not in slugs:
        what = or_near(message("the course has no `{slug}`", slug=slug), slug, slugs)
        yield source.problem(path, what, key=key)


def _moment(text: str, zone: tzinfo) -> datetime | None:
    """Return a moment; a day without a time ends with its last minute. Where clocks change, the later reading counts."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{found[1]}T{found[2] or '23:59'}:00").replace(tzinfo=zone)
        return max(moment, moment.replace(fold=1), key=lambda each: each.astimezone(timezone.utc))
    except ValueError:
        return None


def _no_moment(text: str) -> Message:
    return message("{text} is no time; expected `2026-03-01 18:00` or `2026-03-01`", text=repr(text))


def _span(text: str) -> timedelta | None:
    found = DURATION.fullmatch(text)
    return timedelta(minutes=int(found[1]) * UNITS[found[2]]) if found else None


def _duration(text: str, path: Where, source: Source, problems: list[Problem]) -> timedelta:
    found = _span(text)
    if found is None:
        what = message("{text} is no span of time; expected such as `15 min`, `36 h`, `3 d` or `1 w`", text=repr(text))
        problems.append(source.problem(path, what))
    return found or timedelta()


def _late(file: PolicyFile, source: Source, problems: list[Problem]) -> tuple[LateStep, ...]:
    steps: list[LateStep] = []
    for number, step in enumerate(file.late):
        path: Where = ("policy", "late", number, "up_to")
        until = _duration(step.up_to, path, source, problems)
        if steps and until <= steps[-1].until:
            problems.append(source.problem(path, message("steps must get longer, one after another")))
        steps.append(LateStep(until, step.minus))
    return tuple(steps)


def _extensions(
    file: PolicyFile, source: Source, slugs: Collection[str], zone: tzinfo, problems: list[Problem]
) -> dict[str, dict[str, datetime | timedelta]]:
    found: dict[str, dict[str, datetime | timedelta]] = {}
    for learner, given in file.extensions.items():
        base: Where = ("policy", "extensions", learner)
        if isinstance(given, Mapping):
            problems.extend(_strangers(source, base, given, slugs))
        for slug, text in given.items() if isinstance(given, Mapping) else [(ALL, given)]:
            until = _span(text) or _moment(text, zone)
            if until is None:
                what = message(
                    "{text} is neither a span such as `3 d` nor a time such as `2026-03-01 18:00`", text=repr(text)
                )
                problems.append(source.problem((*base, slug) if isinstance(given, Mapping) else base, what))
            else:
                found.setdefault(learner, {})[slug] = until
    return found
