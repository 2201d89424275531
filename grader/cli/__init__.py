"""The command line: the only place that prints and exits. Each command's module is imported when it runs."""

from __future__ import annotations

import gettext
import os

import click

from grader import __version__
from grader.cli.lazy import LazyGroup
from grader.cli.options import lang_option, told
from grader.cli.speech import help_language
from grader.locale import FOLDER
from grader.model import message

COMMANDS = {
    "start": ("grader.cli.start:start", message("Make a workspace: a file to edit for each exercise.")),
    "list": ("grader.cli.learner:list_", message("List exercises and quizzes, and how far you are.")),
    "show": ("grader.cli.learner:show", message("Show what an exercise or quiz asks for.")),
    "hint": ("grader.cli.learner:hint", message("Show the next hint for an exercise.")),
    "reset": ("grader.cli.learner:reset", message("Put a file back to its starter; a backup is kept.")),
    "check": ("grader.cli.check:check", message("Grade files, or a folder against the whole course.")),
    "watch": ("grader.cli.watch:watch", message("Grade each file when it is saved.")),
    "quiz": ("grader.cli.quiz:quiz", message("Answer a quiz in the terminal.")),
    "doctor": ("grader.cli.doctor:doctor", message("Say what this machine offers, and what is missing.")),
    "author": ("grader.cli.author:author", message("Write and prove exercises and quizzes.")),
    "course": ("grader.cli.course:course", message("Grade a class and keep its gradebook.")),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    help=told(message("Exercises on Transformer attention that grade themselves and name the mistake.")),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="grader", help=told(message("Show the version and exit.")))
@lang_option
def cli(lang: str) -> None:
    """Run one of the commands; `grader.cli.lazy` turns what they raise into messages and exit codes."""


def main() -> None:
    """Run the `grader` command in the language that is asked for."""
    if (lang := help_language()) != "en":
        os.environ["LANGUAGE"] = lang  # where gettext looks first
        gettext.bindtextdomain("grader", str(FOLDER))
        gettext.textdomain("grader")  # click's own words go through this domain
    cli(prog_name="grader")
