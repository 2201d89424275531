"""Options that several commands share, and help texts in the language of the environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.cli.speech import chosen, help_language
from grader.locale import languages, say
from grader.model import Message, message

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that is not empty: `grader check "$FILE"` without a FILE would mean the folder it is run in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail(told(message("the path is empty")), param, ctx)
        return super().convert(value, param, ctx)


def told(text: Message) -> str:
    """Return a help text; options are not read yet when help is made."""
    return say(text, help_language())


FOLDER = NamedPath(file_okay=False, path_type=Path)


def lang_option(command: Decorated) -> Decorated:
    """Add `--lang`; the command gets a language, from its group or the environment when the flag is not given."""
    return click.option(
        "--lang",
        type=click.Choice(languages()),
        callback=lambda ctx, _param, value: chosen(ctx, value),
        is_eager=True,
        help=told(message("Language of the output; that of the environment unless given.")),
    )(command)


def course_option(command: Decorated) -> Decorated:
    """Add `--course DIR`, None when the built-in course is meant."""
    return click.option(
        "--course",
        type=FOLDER,
        metavar="DIR",
        envvar="GRADER_COURSE",
        help=told(message("A course folder other than the built-in one; also as GRADER_COURSE.")),
    )(command)
