"""A file, a sheet or a folder in, every report that `grader check` makes of it out, with all that it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click.testing
from report_readers import validate

from grader.cli import cli
from grader.kinds.reports import REPORTS


@dataclass(frozen=True)
class Graded:
    """The reports by format, what was printed by stream, the step summary, and the exit code."""

    reports: Mapping[str, str]
    printed: Mapping[str, str]
    summary: str
    code: int

    @property
    def texts(self) -> dict[str, str]:
        """Everything that anybody could read, by where it stands."""
        return {**self.reports, **self.printed, "summary": self.summary}


def graded(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Graded:
    """Run `grader check` once with `--report github` and every format into a file below `folder`; each has to be valid."""
    out = folder / "out"
    out.mkdir(parents=True)
    files = {word: out / word for word in REPORTS}
    wanted = ["--report", "github", *(part for word, file in files.items() for part in ("--report", f"{word}={file}"))]
    summary = out / "summary.md"
    surroundings = {"GITHUB_STEP_SUMMARY": str(summary), "XDG_CACHE_HOME": str(folder / "cache"), **(env or {})}
    result = click.testing.CliRunner().invoke(cli, ["check", *arguments, *wanted], env=surroundings)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert all(file.exists() for file in files.values()), result.output
    reports = {word: file.read_text(encoding="utf-8") for word, file in files.items()}
    for word, text in reports.items():
        validate(word, text)
    printed = {"stdout": result.stdout, "stderr": result.stderr}
    return Graded(reports, printed, summary.read_text(encoding="utf-8"), result.exit_code)
