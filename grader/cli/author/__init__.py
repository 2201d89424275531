"""`grader author …`: what proves and describes a course, for those who write it."""

from __future__ import annotations

import click

from grader.cli.lazy import LazyGroup
from grader.cli.options import told
from grader.model import message

COMMANDS = {
    "new": ("grader.cli.author.new:new", message("Begin an exercise, a quiz or a course.")),
    "verify": ("grader.cli.author.verify:verify", message("Prove that exercises and quizzes do what they promise.")),
    "mutate": ("grader.cli.author.mutate:mutate", message("Search for wrong answers that pass.")),
    "preview": ("grader.cli.author.preview:preview", message("Make a page of all that the learner will see.")),
    "doctor": ("grader.cli.author.doctor:doctor", message("Look over a course folder, and say what to mend.")),
    "freeze": ("grader.cli.author.freeze:freeze", message("Draw the numbers of the questions of a quiz that vary.")),
    "mistakes": ("grader.cli.author.mistakes:mistakes", message("List every known mistake and what catches it.")),
    "words": ("grader.cli.author.words:words", message("Print the words that may stand in YAML.")),
    "schema": ("grader.cli.author.schema:schema", message("Print or write the JSON Schemas of the files of a course.")),
}


@click.group(cls=LazyGroup, commands_at=COMMANDS, help=told(message("Write and prove exercises and quizzes.")))
def author() -> None:
    """Run one of the commands for authors."""
