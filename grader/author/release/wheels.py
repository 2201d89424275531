"""The package and a course in, an installable wheel out, without any network.

The wheel is built by hatchling, as the project's own is: it knows what belongs into a wheel, and gives the same bytes for the same files.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import grader
from grader.author.release.courses import Files, Unreleasable, lay_out
from grader.course.find import COURSE_FILE, PACKAGES
from grader.model import message
from grader.stages.spec.reader import read_yaml

JUDGE, LEARNER = PACKAGES
SUMMARY = {
    JUDGE: "A course on Transformer attention, with its judge",
    LEARNER: "A course on Transformer attention, for learners",
}
KEPT_EXTRAS = ("watch", "notebook", "einops", "cluster")
LEFT_OUT = ("__pycache__", "_course")


@dataclass(frozen=True)
class Wheel:
    """A built wheel: the name of its file, and what it holds."""

    name: str
    data: bytes


def wheel(distribution_name: str, course: Mapping[str, bytes]) -> Wheel:
    """Return a wheel of the package with this course in it; raise Unreleasable where hatchling is missing.

    Its version tells by a digest which course and which grader it is, so that installing another one replaces it.
    """
    try:
        from hatchling.builders.wheel import WheelBuilder
    except ImportError as error:
        what = message("Wheels are built by hatchling, which is not installed: pip install hatchling")
        raise Unreleasable(what) from error
    needs = _needs()
    files = {**_package(), **{f"grader/_course/{name}": data for name, data in course.items()}}
    version = f"{grader.__version__}+r{_digest(files)}"
    files["pyproject.toml"] = _project(distribution_name, version, needs, course).encode()
    files["LICENSE"] = needs.licence.encode()
    with tempfile.TemporaryDirectory() as folder:
        root = lay_out(Path(folder, "project"), files)
        (built,) = WheelBuilder(str(root)).build(directory=str(Path(folder, "out")), versions=["standard"])
        return Wheel(Path(built).name, Path(built).read_bytes())


@dataclass(frozen=True)
class _Needs:
    """What the package requires: Python, distributions, and those of each extra."""

    python: str
    always: list[str]
    extras: dict[str, list[str]]
    licence: str


def _needs() -> _Needs:
    """Read the requirements where the package is: its project file, or what was installed."""
    root = Path(grader.__file__).resolve().parent.parent
    if (root / "pyproject.toml").is_file():
        from hatchling.metadata.core import ProjectMetadata

        core = ProjectMetadata(str(root), None).core
        extras = {name: listed for name, listed in core.optional_dependencies.items() if name in KEPT_EXTRAS}
        licence = (root / "LICENSE").read_text(encoding="utf-8")
        return _Needs(core.requires_python, list(core.dependencies), extras, licence)
    try:
        ours = distribution(JUDGE)
    except PackageNotFoundError as error:
        what = message("{name} is not installed, so what it needs is not known: pip install {name}", name=JUDGE)
        raise Unreleasable(what) from error
    always, extras = _requirements(ours.requires or [])
    return _Needs(ours.metadata["Requires-Python"], always, extras, ours.read_text("licenses/LICENSE") or "")


def _package() -> Files:
    root = Path(grader.__file__).resolve().parent
    found = sorted(path for path in root.rglob("*") if path.is_file())
    kept = (path for path in found if not set(LEFT_OUT).intersection(path.relative_to(root).parts))
    return {f"grader/{path.relative_to(root).as_posix()}": path.read_bytes() for path in kept}


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:10]


def _project(name: str, version: str, needs: _Needs, course: Mapping[str, bytes]) -> str:
    """Return the pyproject.toml: what the grader needs, and what the course lets learners import."""
    preload = read_yaml(course[COURSE_FILE].decode(), COURSE_FILE).data.get("preload", ())
    imported = {module.partition(".")[0] for module in preload}
    always = [*needs.always, *(each for extra, listed in needs.extras.items() if extra in imported for each in listed)]
    lines = [
        "[build-system]",
        'requires = ["hatchling"]',
        'build-backend = "hatchling.build"',
        "[project]",
        f"name = {json.dumps(name)}",
        f"version = {json.dumps(version)}",
        f"description = {json.dumps(SUMMARY[name])}",
        f"requires-python = {json.dumps(needs.python)}",
        'license = "Apache-2.0"',
        'license-files = ["LICENSE"]',
        f"dependencies = {json.dumps(always)}",
        "[project.optional-dependencies]",
        *(f"{extra} = {json.dumps(listed)}" for extra, listed in needs.extras.items()),
        "[project.scripts]",
        'grader = "grader.cli:main"',
        "[tool.hatch.build]",
        "ignore-vcs = true",
        "[tool.hatch.build.targets.wheel]",
        'packages = ["grader"]',
        'core-metadata-version = "2.3"',  # what any pip of these years can read
    ]
    return "\n".join(lines) + "\n"


def _requirements(listed: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Split what a distribution requires into what is always needed and what an extra needs."""
    needs: list[str] = []
    extras: dict[str, list[str]] = {}
    for line in listed:
        need, _, marker = (part.strip() for part in line.partition(";"))
        extra = re.fullmatch(r"""extra\s*==\s*['"]([\w-]+)['"]""", marker)
        if extra is None:
            needs.append(line)
        elif extra[1] in KEPT_EXTRAS:
            extras.setdefault(extra[1], []).append(need)
    return needs, extras
