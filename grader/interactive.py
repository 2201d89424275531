"""A function that somebody has just written in, its report out: `check("attention", attention)` in a notebook, IPython or a script.

The function is not called here. Its source, and what it uses of the definitions around it, goes through the same sandbox as a file.
"""

from __future__ import annotations

import html
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.kinds import nearest
from grader.locale import language, say
from grader.model import AuthorError, IsolationUnavailable, Message, Submission, message

if TYPE_CHECKING:
    from grader.model import Course, Exercise, Report
    from grader.stages.notebook import Cell

WIDTH = 100


class CannotCheck(ValueError):
    """There is nothing to grade; the text says why in one line, and in IPython that line is all that is shown."""

    def __init__(self, why: Message, lang: str):
        super().__init__(say(why, lang))

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


@dataclass(frozen=True, repr=False)
class Checked:
    """A report that shows itself: a page in a notebook, text elsewhere."""

    report: Report
    lang: str

    @property
    def score(self) -> float:
        """The points reached, of `max_score`."""
        return self.report.score

    @property
    def max_score(self) -> float:
        """The points that there are."""
        return self.report.max_score

    def __repr__(self) -> str:
        return self._rendered("text").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the report as a frame of its own, so that neither its style nor that of the notebook reaches the other."""
        height = min(900, 160 + 24 * len(repr(self).splitlines()))
        page = html.escape(self._rendered("html"), quote=True)
        style = f"width: 100%; height: {height}px; border: 0; resize: vertical"
        title = html.escape(say(message("Report"), self.lang), quote=True)
        return f'<iframe sandbox title="{title}" style="{style}" srcdoc="{page}"></iframe>'

    def _rendered(self, word: str) -> str:
        from grader.kinds.reports import REPORTS
        from grader.kinds.reports.style import ReportStyle

        return REPORTS[word](self.report, ReportStyle(self.lang, width=WIDTH))


def check(
    slug: str,
    function: Callable[..., Any],
    *,
    seed: int = 0,
    isolation: str = "best",
    lang: str | None = None,
    course: str | Path | None = None,
) -> Checked:
    """Grade `function`, or a class, as the answer to the exercise `slug`, and return the report.

    Its source and the definitions that it uses are taken from the cells that ran so far, or else from the module that it is in, and are
    run in the sandbox. `course` is a course folder; without it the built-in one is meant.
    Raises CannotCheck where there is no such exercise, no source, or no sandbox as strict as `isolation` demands.
    """
    lang = language(lang)
    root, loaded = _course(course, lang)
    exercise = _exercise(loaded, slug, lang)
    submission = _submission(exercise, function, lang)
    from grader.cli.grading import Order, report_of
    from grader.cli.targets import Target
    from grader.stages.sandbox import open_sandbox

    order = Order(root, (), slug, seed, "cpu", isolation, lang)
    try:
        with open_sandbox(isolation, preload=loaded.preload) as runner:
            report = report_of(loaded, [Target(slug, None, submission=submission)], order, runner)
    except IsolationUnavailable as error:
        raise CannotCheck(error.why, lang) from None
    return Checked(report, lang)


def _course(named: str | Path | None, lang: str) -> tuple[Path, Course]:
    from grader.cli.opening import emptiness
    from grader.course.find import NoCourse, find_course
    from grader.course.lazily import open_course_lazily

    try:
        root = find_course(None if named is None else Path(named))
        course = open_course_lazily(root)
    except NoCourse as error:
        raise CannotCheck(error.why, lang) from None
    except AuthorError as error:
        raise CannotCheck(message("{what}", what="; ".join(error.problems)), lang) from None
    if what := emptiness(course):
        raise CannotCheck(what, lang)
    return root, course


def _exercise(course: Course, slug: str, lang: str) -> Exercise:
    if slug in course.exercises:
        return course.exercises[slug]
    if near := nearest(str(slug), course.exercises):
        raise CannotCheck(message("There is no {word!r}. Did you mean {near!r}?", word=str(slug), near=near), lang)
    known = ", ".join(course.exercises)
    raise CannotCheck(message("There is no {word!r}. There are: {known}.", word=str(slug), known=known), lang)


# ---------------------------------------------------------------- from a function to its source


def _submission(exercise: Exercise, function: Any, lang: str) -> Submission:
    from grader.stages.notebook import defined, notebook_of, submission_from

    wanted, code = exercise.signature.name, _code(function)
    name = getattr(function, "__name__", wanted)
    name = wanted if name == "<lambda>" else name
    if code is None:
        why = message(
            "Pass the function itself, defined with `def`: check({slug!r}, {function}).",
            slug=exercise.slug,
            function=wanted,
        )
        raise CannotCheck(why, lang)
    cells, shown = _cells(code)
    notebook = notebook_of(cells)
    if not defined(notebook, [name]):
        why = message(
            "The source of `{name}` cannot be found. Define it at the top level of a cell or a file, then check again.",
            name=name,
        )
        raise CannotCheck(why, lang)
    taken = submission_from(notebook, exercise.slug, name, shown)
    # In a session names are defined over and over, and what is passed says which one is meant: no remarks on that.
    taken = replace(taken, remarks=())
    if name == wanted or taken.problem:
        return taken
    line = taken.source.count(b"\n")
    renamed = taken.source + f"{wanted} = {name}\n".encode()
    return replace(taken, source=renamed, cells=(*taken.cells[:line], taken.cells[line - 1]))


def _code(function: Any) -> types.CodeType | None:
    """Return the code of a function, or of the first method of a class; None for what has none."""
    if inspect.isclass(function):
        own = (member for member in vars(function).values() if inspect.isfunction(member))
        function = next((each for each in own if each.__qualname__.startswith(function.__qualname__)), None)
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _cells(code: types.CodeType) -> tuple[tuple[Cell, ...], str]:
    """Return what holds the code, with what was defined around it, and the name to show; nothing where the source is not known."""
    from grader.stages.notebook import Cell
    from grader.stages.notebook.magics import split_lines

    if Path(code.co_filename).is_file():  # a cell has a name too, but no file, and would be forgotten
        linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        return (), ""
    history = list(_history())
    own = next((number for number, cell in reversed(history) if cell.strip() == text.strip()), None)
    if own is None:
        return (Cell(0, split_lines(text)),), _shown(code.co_filename)
    return tuple(Cell(number, split_lines(cell), number == own) for number, cell in history), ""


def _history() -> Iterator[tuple[int, str]]:
    """Yield number and source of each cell that ran in IPython, as IPython turned it into Python; nothing elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        yield from enumerate(shell.history_manager.input_hist_parsed)


def _shown(file: str) -> str:
    """Return the path of a file as a person here would write it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
