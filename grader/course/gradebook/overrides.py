"""`overrides.csv` of a graded class in, points that a person decided out. Kept apart from results, so that no regrade can lose them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.downloads.roster import RosterError, folded, read_table
from grader.kinds import nearest
from grader.model import Message, message

FILE = "overrides.csv"
COLUMNS = ("learner", "exercise", "points", "reason")


@dataclass(frozen=True)
class Override:
    """Points for an exercise or quiz whatever was graded, and why."""

    points: float
    reason: str


Overrides = Mapping[tuple[str, str], Override]
"""By learner and slug."""


def read_overrides(folder: Path, learners: Collection[str], slugs: Collection[str]) -> Overrides:
    """Return the overrides of a class, none without a file; raise RosterError with everything that is wrong."""
    path = folder / FILE
    if not path.is_file():
        return {}
    heading, rows = read_table(path)
    columns = [folded(name) for name in heading]
    if missing := [name for name in COLUMNS if name not in columns]:
        what = message("{file}:1: these columns are missing: {names}", file=path, names=", ".join(missing))
        raise RosterError([what])
    found: dict[tuple[str, str], Override] = {}
    problems: list[Message] = []
    for line, row in rows:
        cells = dict(zip(columns, [cell.strip() for cell in row], strict=False))
        problem = _problem(cells, learners, slugs, found)
        if problem is not None:
            problems.append(message("{file}:{line}: {what}", file=path, line=line, what=problem))
        else:
            found[cells["learner"], cells["exercise"]] = Override(float(cells["points"]), cells["reason"])
    if problems:
        raise RosterError(problems)
    return found


def _problem(
    cells: Mapping[str, str], learners: Collection[str], slugs: Collection[str], found: Overrides
) -> Message | None:
    learner, slug, reason = cells.get("learner", ""), cells.get("exercise", ""), cells.get("reason", "")
    for name, known, what in (
        (learner, learners, message("there is no learner {name}", name=repr(learner))),
        (slug, slugs, message("the course has no `{slug}`", slug=slug)),
    ):
        if name not in known:
            near = nearest(name, known)
            return message("{what} — did you mean `{near}`?", what=what, near=near) if near else what
    try:
        points = float(cells.get("points", ""))
    except ValueError:
        points = math.nan
    if not math.isfinite(points) or points < 0:
        return message("expected points, got {got}", got=repr(cells.get("points", "")))
    if not reason:
        return message("a reason is missing: somebody will ask for it")
    if (learner, slug) in found:
        return message("{slug} of {learner} is there twice", slug=slug, learner=learner)
    return None
