"""A reference and the files of single exercises in, one reference out: what each `exercise_*.py` holds is added to the rest.

Such a file has `FUNCTIONS`, the `STEPS` that they take beside those of the course, and `MISTAKES`, each a step replaced. So a
new exercise is a new file, and nothing that is there has to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.kinds import nearest
from grader.stages.compute import Reference

PATTERN = "exercise_*.py"


def own_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the modules that hold one exercise each."""
    return tuple(path.stem for path in sorted(folder.glob(PATTERN)))


def with_own_files(reference: Reference, modules: Mapping[str, ModuleType]) -> Reference:
    """Return the reference with all that the modules hold; raise ValueError for a name that is there already.

    Their functions get all steps as the default of `steps`: those of the course, and those of every such file.
    """
    if not modules:
        return reference
    functions, mistakes = dict(reference.functions), dict(reference.mistakes)
    steps = {field.name: getattr(reference.steps, field.name) for field in fields(reference.steps)}
    for file, module in modules.items():
        for word, known in (("FUNCTIONS", functions), ("STEPS", steps), ("MISTAKES", mistakes)):
            _add(known, getattr(module, word, {}), f"{file}.py: {word}")
    for file, module in modules.items():
        _known_steps(file, getattr(module, "MISTAKES", {}), steps)
    whole = make_dataclass("Steps", list(steps), frozen=True)(**steps)
    for module in modules.values():
        for function in getattr(module, "FUNCTIONS", {}).values():
            function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), "steps": whole}
    return Reference(functions, mistakes, whole, reference.not_applicable)


def _add(known: dict[str, Any], found: Mapping[str, Any], where: str) -> None:
    if taken := known.keys() & found.keys():
        raise ValueError(f"{where} has {', '.join(sorted(taken))}, which the course has already: choose another name")
    known |= found


def _known_steps(file: str, mistakes: Mapping[str, Mapping[str, Any]], steps: Mapping[str, Any]) -> None:
    for mistake, replaced in mistakes.items():
        for step in replaced:
            if step not in steps:
                near = nearest(step, tuple(steps))
                meant = f" — did you mean {near}?" if near else ""
                raise ValueError(f"{file}.py: the mistake {mistake} replaces {step}, which is no step{meant}")
