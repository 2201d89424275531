"""Options that several commands share, and help texts in the language of the environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.locale import language, say
from grader.model import LANGUAGES, Message, message

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
FOLDER = click.Path(file_okay=False, path_type=Path)


def told(text: Message) -> str:
    """Return a help text in the language of the environment; `--lang` is not known yet when help is made."""
    return say(text, language())


def lang_option(command: Decorated) -> Decorated:
    """Add `--lang`; the command gets "en" or "zh", from the environment when the flag is not given."""
    return click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        callback=lambda _ctx, _param, value: language(value),
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
