"""What a wheel takes along: the course folders, inside the one package, as `grader/_course/`.

An editable install takes none of it: the course is found beside the package then, and a copy would grow stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COURSE = ("course.yaml", "exercises", "quizzes", "reference_impl", "schemas")


class CourseHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the course to a wheel that is not editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for name in COURSE:
            for file in sorted(self._files(Path(self.root) / name)):
                build_data["force_include"][str(file)] = f"grader/_course/{file.relative_to(self.root).as_posix()}"

    def _files(self, path: Path) -> list[Path]:
        if path.is_file():
            return [path]
        return [f for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
