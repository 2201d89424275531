"""`grader course …`: a whole class, from what it handed in to its grades."""

from __future__ import annotations

import click

from grader.cli.lazy import LazyGroup
from grader.cli.options import told
from grader.model import message

COMMANDS = {
    "release": (
        "grader.cli.course.release:release",
        message("Write a course for learners, without answers, or for a judge: GitHub, GitLab, Gradescope."),
    ),
    "grade": ("grader.cli.course.grade:grade", message("Grade a class; started again, it goes on where it stopped.")),
    "sheets": (
        "grader.cli.course.sheets:sheets",
        message("Write answer sheets, for each learner with numbers of their own."),
    ),
    "gradebook": ("grader.cli.course.gradebook:gradebook", message("Write the gradebook: CSV, Canvas or Moodle.")),
    "regrade": (
        "grader.cli.course.regrade:regrade",
        message("Grade again after a change, and say first who would gain or lose."),
    ),
    "stats": (
        "grader.cli.course.stats:stats",
        message("Show scores, hard questions and frequent mistakes of a class."),
    ),
    "review": ("grader.cli.course.review:review", message("Read and mark the answers that wait for a person.")),
}


@click.group(cls=LazyGroup, commands_at=COMMANDS, help=told(message("Grade a class and keep its gradebook.")))
def course() -> None:
    """Run one of the commands for instructors."""
