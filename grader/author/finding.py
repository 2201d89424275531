"""What a look over a course folder finds: a place, what is there, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.model import Message, message
from grader.stages.spec.source import Source, Where

PLACE = re.compile(r"(?P<place>[^\s:][^:]*:\d+:\d+): (?P<what>.*)", re.DOTALL)

REMEDIES: tuple[tuple[str, Message], ...] = (
    ("is in no module", message("Name it in a module of course.yaml, or delete the file.")),
    ("there is no file", message("Make it with `grader author new`, or take the entry out of course.yaml.")),
    ("listed twice", message("Take one of the two entries out.")),
    ("the text in", message("Write it: every text stands there in each language.")),
    ("unknown key", message("Take it out, or spell it as the schema does: `grader author schema`.")),
    ("unknown word", message("`grader author words` lists the words.")),
    ("draws", message("`grader author freeze` writes them.")),
    ("has no key", message("Write the key, or set `graded: true` where the keys lie elsewhere.")),
    ("reference_impl/mistakes.yaml has no", message("Write its text there, or take it out of `catches`.")),
)
"""What to do, by words of a problem that the loader tells."""
OTHERWISE = message("Change this line; `grader author words` says what may stand there.")


@dataclass(frozen=True)
class Finding:
    """One thing to look at. `mend`: it should be mended; otherwise it is only worth a look."""

    place: str
    what: Message
    remedy: Message
    mend: bool = True


def found_at(source: Source, path: Where, what: Message, remedy: Message, *, mend: bool = True) -> Finding:
    """Return a finding at the place of a value in a YAML file."""
    line, column = source.place(path)
    return Finding(f"{source.file}:{line}:{column}", what, remedy, mend)


def from_problem(problem: str) -> Finding:
    """Return a problem of the loader, a line `file:line:col: path: message`, as a finding."""
    told = PLACE.fullmatch(problem)
    place, what = (told["place"], told["what"]) if told else ("course.yaml:1:1", problem)
    remedy = next((remedy for words, remedy in REMEDIES if words in what), OTHERWISE)
    return Finding(place, Message("{what}", {"what": what}), remedy)
