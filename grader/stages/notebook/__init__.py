"""A notebook in, a Submission out: the cells that define a function, without what is not needed to call it.

Nothing of a notebook is run to find out what it defines. Top-level plots, training loops and trial calls stay out of the
program that is graded, and each line of it is known by its cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.model import Submission
from grader.stages.intake import Refused
from grader.stages.notebook.choosing import Notebook, defined, notebook_of, submission_from
from grader.stages.notebook.places import in_cells
from grader.stages.notebook.reading import Cell, MissingExtra, read_cells

__all__ = ["Cell", "MissingExtra", "Notebook", "defined", "in_cells", "notebook_of", "read_notebook", "submission_from"]


def read_notebook(
    path: Path, shown: str, functions: Mapping[str, str], slug: str | None = None
) -> tuple[Submission, ...]:
    """Return what the notebook hands in for `slug`, or without one for each of the exercises that it defines a function of.

    `functions` are the functions that exercises ask for, by slug. For a given `slug` a notebook that cannot be read is a submission with a
    problem, otherwise it raises Refused. Raises MissingExtra where the packages for it are not installed.
    """
    try:
        notebook = notebook_of(read_cells(path))
    except Refused as refused:
        if slug is None:
            raise
        return (Submission(shown, slug, problem=refused.why),)
    there = defined(notebook, functions.values())
    slugs = [name for name, function in functions.items() if function in there] if slug is None else [slug]
    return tuple(submission_from(notebook, name, functions[name], shown) for name in slugs)
