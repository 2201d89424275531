"""The cells of a notebook and the name of a function in, a Submission out: what defines the function, line for line.

Lines that are not needed become empty, so that the rest keeps its place; what is needed is what the function uses, and what
that uses. Of several definitions of a name the last one in the notebook counts, as it does when all cells run in order.
"""

from __future__ import annotations

import builtins
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.kinds import nearest
from grader.model import Message, Submission, message
from grader.stages.intake import Refused
from grader.stages.notebook.magics import TOO_DEEP
from grader.stages.notebook.reading import Cell
from grader.stages.notebook.units import STAR, Unit, units_of

MOST_STEPS = 200_000
"""How long definitions are followed; a notebook that somebody wrote needs a few hundred steps."""

MOST_REMARKS = 5

Place = tuple[int, int]
"""Cell number and line in it, both from 1."""


@dataclass(frozen=True)
class Notebook:
    """Code cells, and the units of those that Python can read. `broken` is what it says of the others: (line, text)."""

    cells: tuple[Cell, ...]
    units: tuple[tuple[Cell, Unit], ...]
    broken: Mapping[int, tuple[int, str]]  # by cell number


def notebook_of(cells: Iterable[Cell]) -> Notebook:
    """Return the notebook that the cells make."""
    cells = tuple(cells)
    units: list[tuple[Cell, Unit]] = []
    broken: dict[int, tuple[int, str]] = {}
    for cell in cells:
        try:
            units.extend((cell, unit) for unit in units_of(cell.lines))
        except SyntaxError as error:
            broken[cell.number] = (error.lineno or 1, error.msg)
        except (ValueError, *TOO_DEEP):
            broken[cell.number] = (1, "nested too deeply")
    return Notebook(cells, tuple(units), broken)


def defined(notebook: Notebook, functions: Iterable[str]) -> tuple[str, ...]:
    """Return those of `functions` that the notebook defines, in the order given; cells tagged `solution` come first.

    Where a tagged cell defines one of them, those of other cells are not meant.
    """
    functions = tuple(functions)
    tagged = [name for name in functions if any(cell.solution for cell in _defining(notebook, name))]
    return tuple(tagged or (name for name in functions if _defining(notebook, name)))


def submission_from(notebook: Notebook, slug: str, function: str, shown: str) -> Submission:
    """Return the program that defines `function`; `problem` is set where the notebook does not define it."""
    left_out = tuple(_left_out(notebook))[:MOST_REMARKS]
    try:
        defining = _defining(notebook, function)
        if not defining:
            raise Refused(_missing(notebook, function))
        if defining[-1].number in notebook.broken:  # Python says where; the rest of the notebook does not matter then
            source, places = _program([(defining[-1], 1, len(defining[-1].lines))], notebook)
            return Submission(shown, slug, source, cells=places)
        kept, names = _needed(notebook, function, {cell.number for cell in defining})
        units = [notebook.units[at] for at in sorted(kept)]
        source, places = _program([(cell, unit.first, unit.last) for cell, unit in units], notebook)
    except Refused as refused:
        return Submission(shown, slug, problem=refused.why, remarks=left_out)
    twice = _twice(notebook, names, function if defining[-1].solution else "")
    return Submission(shown, slug, source, cells=places, remarks=(*tuple(twice)[:MOST_REMARKS], *left_out))


def _defining(notebook: Notebook, name: str) -> list[Cell]:
    """Return the cells that define `name`, in order, those that Python cannot read included; tagged ones alone if there are any."""
    looks_so = re.compile(rf"^\s*(?:async\s+)?(?:def|class)\s+{name}\b|^{name}\s*=[^=]", re.MULTILINE)
    numbers = {cell.number for cell, unit in notebook.units if name in unit.binds}
    numbers |= {c.number for c in notebook.cells if c.number in notebook.broken and looks_so.search("\n".join(c.lines))}
    found = [cell for cell in notebook.cells if cell.number in numbers]
    return [cell for cell in found if cell.solution] or found


def _needed(notebook: Notebook, function: str, where: Collection[int]) -> tuple[set[int], set[str]]:
    """Return which units are needed to call `function` as the cells in `where` define it, and the names met on the way."""
    binding: dict[str, list[int]] = defaultdict(list)
    for at, (cell, unit) in enumerate(notebook.units):
        for name in unit.binds:
            if name != function or cell.number in where:
                binding[name].append(at)
    end = len(notebook.units)
    kept: set[int] = set()
    todo, seen, steps = [(function, end)], {(function, end)}, 0
    while todo:
        name, before = todo.pop()
        for at in reversed([at for at in binding[name] if at < before]):
            unit, steps = notebook.units[at][1], steps + 1
            kept.add(at)
            # what a function uses is looked up when it is called: perhaps while the cells run, and surely after the last one
            new = {(n, at) for n in unit.now} | {(n, b) for n in unit.later for b in (before, end)}
            todo.extend(new - seen)
            seen |= new
            if name in unit.whole:
                break
        if steps + len(seen) > MOST_STEPS:
            raise Refused(message("The notebook has too many definitions to follow. Hand in your functions alone."))
    names = {name for name, _ in seen}
    if any(not binding[name] and not hasattr(builtins, name) for name in names):
        kept.update(binding[STAR])  # what it brings is not known here
    return kept, names


def _program(kept: Iterable[tuple[Cell, int, int]], notebook: Notebook) -> tuple[bytes, tuple[Place, ...]]:
    """Return the source with each kept range of lines at its place, and the place of each line."""
    starts: dict[int, int] = {}
    places: list[Place] = []
    for cell in notebook.cells:
        starts[cell.number] = len(places)
        places.extend((cell.number, line) for line in range(1, len(cell.lines) + 1))
    lines = [""] * len(places)
    for cell, first, last in kept:
        start = starts[cell.number]
        lines[start + first - 1 : start + last] = cell.lines[first - 1 : last]
    if futures := [(cell, unit) for cell, unit in notebook.units if unit.future]:  # valid before everything else only
        features = dict.fromkeys(name for _, unit in futures for name in unit.future)
        lines.insert(0, f"from __future__ import {', '.join(features)}")
        places.insert(0, (futures[0][0].number, futures[0][1].first))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([*lines, ""]).encode("utf-8", "replace"), tuple(places)


def _missing(notebook: Notebook, function: str) -> Message:
    names = sorted({name for _, unit in notebook.units if not unit.imports for name in unit.binds})
    if near := nearest(function, names):
        return message("No cell defines `{name}`. Did you mean `{near}`?", name=function, near=near)
    if names:
        return message("No cell defines `{name}`. Defined are: {names}", name=function, names=", ".join(names[:12]))
    return message("No cell defines `{name}`.", name=function)


def _twice(notebook: Notebook, names: set[str], chosen: str) -> Iterator[Message]:
    """Say which of the names are defined in several cells; a tag has `chosen` between those of one."""
    cells: dict[str, dict[int, bool]] = defaultdict(dict)  # name -> cell -> whether more than an import
    for cell, unit in notebook.units:
        for name in unit.whole & names:
            cells[name][cell.number] = cells[name].get(cell.number, False) or not unit.imports
    for name, where in cells.items():
        if len(where) > 1 and any(where.values()) and name != chosen:
            *_, last = where
            yield message(
                "`{name}` is defined in the cells {cells}: the last one counts, cell {last}.",
                name=name,
                cells=", ".join(map(str, where)),
                last=last,
            )


def _left_out(notebook: Notebook) -> Iterator[Message]:
    """Say which cells were left out because Python cannot read them."""
    for number, (line, text) in notebook.broken.items():
        yield message(
            "Cell {cell} was left out: Python cannot read its line {at} ({text}).", cell=number, at=line, text=text
        )
