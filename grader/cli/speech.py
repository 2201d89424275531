"""Which language a command speaks: that of `--lang`, before or after the command's name, else that of the environment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from grader.locale import language, languages

CHOSEN = "grader.lang"
"""Where the contexts of a run keep the language that was chosen."""


def asked_for(arguments: Sequence[str]) -> str | None:
    """Return the language that a command line names with `--lang`, wherever it stands; None for none, or one that is not known."""
    pairs = [*pairwise(arguments), *(each.split("=", 1) for each in arguments if "=" in each)]
    return next((value for flag, value in pairs if flag == "--lang" and value in languages()), None)


def help_language() -> str:
    """Return the language of help texts, which are made before options are read."""
    return language(asked_for(sys.argv[1:]))


def chosen(ctx: click.Context, value: str | None) -> str:
    """Return the language of a command and remember it for what is said outside of it; a group's choice holds for its commands."""
    if value or CHOSEN not in ctx.meta:
        ctx.meta[CHOSEN] = language(value)
    spoken: str = ctx.meta[CHOSEN]
    return spoken


def spoken() -> str:
    """Return the language of the command that runs, else that of the environment."""
    ctx = click.get_current_context(silent=True)
    return language(None) if ctx is None else chosen(ctx, None)
