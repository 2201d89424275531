"""What a command says to type next, in; the same with the course that was named on the command line, out.

A workspace does not remember its course: grading runs the reference of a course, and a folder must not be able to name one.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click
from click.core import ParameterSource

from grader.model import Message, Report

Maybe = TypeVar("Maybe")


def onward(word: str, *, elsewhere: bool = False) -> str:
    """Return a slug or file as the next command needs it; `elsewhere`: that one will be run in another folder."""
    ctx = click.get_current_context(silent=True)
    if ctx is None or ctx.get_parameter_source("course") is not ParameterSource.COMMANDLINE:
        return word  # the environment names the course to the next command too
    course = Path(ctx.params["course"])
    return f"{word} --course {shlex.quote(str(course.absolute() if elsewhere else course))}".strip()


def pointing_onward(report: Report) -> Report:
    """Return the report, the commands that it names as they have to be typed."""
    results = tuple(
        replace(result, headline=pointing(result.headline), next_step=pointing(result.next_step))
        for result in report.results
    )
    return replace(report, results=results, next_step=pointing(report.next_step))


def pointing(step: Maybe) -> Maybe:
    """Return a next step, or what is no message as it is, with its command as it has to be typed."""
    if not isinstance(step, Message):
        return step
    fields = {name: pointing(value) for name, value in step.fields.items()}
    if "`grader " in step.template and "slug" in fields:
        fields["slug"] = onward(str(fields["slug"]))
    return replace(step, fields=fields)
