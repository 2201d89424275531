"""Plan in, expectations out: what the reference gives, right and with each mistake.

The one door to `reference_impl`.

Three ways lead here: the reference is run (this imports torch), or expectations that were computed before are read from a
cache, or from a learner's copy of the course, which has no reference (no torch).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import grader
from grader.model import Expectations, GraderError, Observations, Plan, Tensor, Trace
from grader.stages.compute import Reference, compute
from grader.stages.ended import told_of_end
from grader.stages.frozen import freeze, thaw
from grader.stages.frozen_pairs import freeze_pairs, thaw_pairs
from grader.stages.own_files import own_files, with_own_files
from grader.stages.pairs import all_pairs, fitting, follow_up, scout_pairs, scouts
from grader.stages.released import frozen_of, thawed, thawed_pairs
from grader.stages.shrink import examples

FOLDER = "reference_impl"
_LOADING = threading.Lock()


def expect(plan: Plan, course_root: Path, cache: Path | None = None) -> Expectations:
    """Return what the plan's cases should give; raise `GraderError` where the reference itself fails.

    With a `cache` folder, expectations that this reference gave before are read from it, and new ones are added. A file
    there that cannot be read is computed anew.
    """
    if (frozen := frozen_of(course_root)) is not None:
        return thawed(plan, course_root, frozen)
    if cache is None:
        return _computed(plan, course_root)
    kept = cache / f"{_key(plan, course_root)}.expect"
    known = thaw(kept.read_bytes()) if kept.is_file() else None
    if known is None:
        known = _computed(plan, course_root)
        _keep(kept, freeze(known))
    return known


def _computed(plan: Plan, course_root: Path) -> Expectations:
    reference = load_reference(course_root)
    known = compute(plan, reference)
    return replace(known, examples=examples(plan, reference, known))


def fitting_pairs(
    plan: Plan,
    observations: Observations,
    expectations: Expectations,
    course_root: Path,
    cache: Path | None = None,
) -> dict[tuple[str, ...], Mapping[str, Trace]]:
    """Return the traces of the pairs of mistakes that fit what was observed in the most telling cases.

    What every pair gives in those is kept in the cache like other expectations. Without a reference every frozen pair is returned.
    """
    if frozen_of(course_root) is not None:
        return thawed_pairs(plan, course_root)
    kept = cache and cache / f"{_key(plan, course_root)}.pairs"
    known = thaw(kept.read_bytes()) if kept and kept.is_file() else None
    if known is None:
        cases = scouts(plan, expectations)
        known = Expectations(
            {}, {}, scout_pairs(plan, load_reference(course_root), expectations, cases) if cases else {}
        )
        if kept:
            _keep(kept, freeze(known))
    if not fitting(known.traces, observations):
        return {}
    return follow_up(plan, load_reference(course_root), known.traces, observations)


def every_pair(
    plan: Plan, expectations: Expectations, course_root: Path, cache: Path | None = None
) -> Mapping[tuple[str, ...], Mapping[str, Trace]]:
    """Return what each pair of mistakes gives in every case, for a copy of the course without a reference."""
    kept = cache and cache / f"{_key(plan, course_root)}.every-pair"
    known = thaw_pairs(kept.read_bytes()) if kept and kept.is_file() else None
    if known is None:
        known = all_pairs(plan, load_reference(course_root), expectations)
        if kept:
            _keep(kept, freeze_pairs(known))
    return known


def load_reference(course_root: Path) -> Reference:
    """Load `reference_impl` from the course folder, by path and under a name that no import statement can reach.

    Raise GraderError where it is not there, does not load, or lacks what a reference has to offer.
    """
    folder = course_root / FOLDER
    name = _name(folder)
    try:
        with _LOADING:  # another thread may be in the middle of it
            module = sys.modules.get(name) or _import(folder, name)
        steps: ModuleType = sys.modules[f"{name}.steps"]
        mistakes: ModuleType = sys.modules[f"{name}.mistakes"]
        if (
            "torch" in sys.modules
        ):  # tiny tensors: a second thread costs more than it gives, many times more on a busy machine
            sys.modules["torch"].set_num_threads(1)
        reference = Reference(module.FUNCTIONS, mistakes.MISTAKES, steps.CORRECT, steps.NotApplicable)
        parts = {
            file: sys.modules.get(f"{name}.{file}") for file in own_files(folder)
        }  # one may be newer than what is loaded
        return with_own_files(reference, {file: part for file, part in parts.items() if part is not None})
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        what = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else told_of_end(error)
        raise GraderError(f"{FOLDER} of the course does not load: {what}") from error


def forget_reference(course_root: Path) -> None:
    """Let the next `load_reference` read the files anew: an author has changed them."""
    _forget(_name(course_root / FOLDER))


def _name(folder: Path) -> str:
    return f"_reference_{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"


def _forget(name: str) -> None:
    for loaded in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
        del sys.modules[loaded]
    importlib.invalidate_caches()


def _import(folder: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not (folder / "__init__.py").is_file():
        raise FileNotFoundError(f"there is no {FOLDER}/__init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        for part in ("steps", "mistakes", *own_files(folder)):
            importlib.import_module(f"{name}.{part}")
    except BaseException:
        _forget(name)
        raise
    return module


def _key(plan: Plan, course_root: Path) -> str:
    """What expectations depend on:

    the calls, the reference's source, torch and this grader. Not torch itself: it need not be loaded.
    """
    digest = hashlib.sha256(
        f"{grader.__version__}|{_version('torch')}|{_version('numpy')}|{plan.exercise.reference}".encode()
    )
    for source in sorted((course_root / FOLDER).glob("*.py")):
        if source.is_file():  # anything else does not load, which is said then
            digest.update(source.name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
    for drawn in plan.cases:
        digest.update(f"{drawn.case.name}|{drawn.case.raises}|{drawn.returns}".encode())
        for name, value in drawn.arguments.items():
            digest.update(f"{name}|".encode())
            digest.update(
                value.array.tobytes() + str(value.shape).encode() if isinstance(value, Tensor) else repr(value).encode()
            )
    for call in plan.calls:
        for tensor in call.cotangent:
            digest.update(call.id.encode() + tensor.array.tobytes())
    return f"{plan.exercise.slug}-{digest.hexdigest()[:32]}"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "?"


def _keep(path: Path, data: bytes) -> None:
    """Write a cache file whole or not at all. A cache that cannot be written costs time, never a grade."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        return
