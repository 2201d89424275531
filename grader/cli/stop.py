"""What ends a command early: a message in the right language, and the exit code that belongs to it."""

from __future__ import annotations

from collections.abc import Collection

import click

from grader.cli.speech import spoken
from grader.kinds import nearest
from grader.locale import say
from grader.model import Message, message

NOT_REACHED, USAGE, FAULT, UNAVAILABLE = 1, 2, 3, 4
"""Exit codes beside 0: score not reached or nothing judged; usage; grader or course at fault; isolation or device missing."""


LONGEST_LINE = 8000
"""Characters: a message may name a few paths in full, and a command to type with them."""


def harmless(text: str, most: int = 1000) -> str:
    """Return a text in which nothing acts on a terminal or in a build log: file names, for one, are a learner's to choose."""
    from grader.kinds.reports.escape import lines, unmarked  # only when something went wrong: the formats come along

    return unmarked("\n".join(lines(text, most, LONGEST_LINE)))


class Stop(click.ClickException):
    """The command cannot go on; the message, one line, goes to standard error."""

    def __init__(self, why: Message, lang: str | None = None, code: int = USAGE):
        super().__init__(harmless(say(why, lang or spoken()).replace("\n", "\\n")))
        self.exit_code = code  # type: ignore[misc]


def no_such(word: str, known: Collection[str], lang: str) -> Stop:
    """Return the answer to a word that is none: the nearest one, or all that there are."""
    if near := nearest(word, known):
        return Stop(message("There is no {word!r}. Did you mean {near!r}?", word=word, near=near), lang)
    return Stop(message("There is no {word!r}. There are: {known}.", word=word, known=some(known)), lang)


def some(names: Collection[str], most: int = 12) -> str:
    """Return names in a row, as many as one line holds."""
    return ", ".join(list(names)[:most]) + (", …" if len(names) > most else "")
