"""YAML text in, its events out: from PyYAML's own parser, or inside `quickly` from libyaml."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

_QUICK: ContextVar[bool] = ContextVar("quick", default=False)


class Events(Reader, Scanner, Parser):
    """PyYAML's own event stream: it neither resolves nor builds anything, and it does not recurse."""

    def __init__(self, text: str):
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


@contextmanager
def quickly() -> Iterator[None]:
    """Let libyaml read the files of a course in this block, where PyYAML has it: it is seven times faster.

    It takes a few spellings that the other parser refuses, so what proves a course stays outside of such a block.
    """
    before = _QUICK.set(True)
    try:
        yield
    finally:
        _QUICK.reset(before)


def of_a_course(text: str) -> Any:
    """Return the events of a file of a course. What learners write is never given to a parser in C: that has `Events`."""
    quick = getattr(getattr(yaml, "cyaml", None), "CParser", Events) if _QUICK.get() else Events
    return quick(text)
