"""The vocabulary of YAML and the command line: one decorated class or function is one word.

A course may bring words of its own. They are known inside `speaking` alone, so that no course meets those of another.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


class UnknownWord(KeyError):
    """A word that is not in a vocabulary; `near` is the closest one that is."""

    def __init__(self, word: str, near: str | None):
        super().__init__(word)
        self.word = word
        self.near = near


class WordTaken(ValueError):
    """A word that stands for something already."""

    def __init__(self, word: str):
        super().__init__(f"the word {word!r} is taken")
        self.word = word


def nearest(word: str, known: object) -> str | None:
    """Return the known word that `word` was probably meant to be, or None."""
    found = difflib.get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.6)  # type: ignore[attr-defined]
    return found[0] if found else None


@dataclass(eq=False)
class OwnWords:
    """The words that one course adds, for each vocabulary. While it is `open`, words are added to it."""

    of: dict[int, dict[str, Any]] = field(default_factory=dict)  # by the identity of the vocabulary
    open: bool = False


_OWN: ContextVar[OwnWords | None] = ContextVar("own words of a course", default=None)


@contextmanager
def speaking(words: OwnWords) -> Iterator[None]:
    """Let every vocabulary know the words of a course, in this thread and this block."""
    before = _OWN.set(words)
    try:
        yield
    finally:
        _OWN.reset(before)


class Vocabulary(Mapping[str, T]):
    """Words of one sort (inputs, checks, questions, report formats) and what each stands for."""

    def __init__(self) -> None:
        self._words: dict[str, T] = {}

    def own(self) -> Mapping[str, T]:
        """Return the words that the course of this block adds."""
        words = _OWN.get()
        return {} if words is None else words.of.get(id(self), {})

    def __getitem__(self, word: str) -> T:
        return self._words[word] if word in self._words else self.own()[word]

    def __iter__(self) -> Iterator[str]:
        yield from self._words
        yield from self.own()

    def __len__(self) -> int:
        return len(self._words) + len(self.own())

    def word(self, word: str) -> Callable[[T], T]:
        """Decorate the class or function that `word` stands for."""

        def add(thing: T) -> T:
            if word in self:
                raise WordTaken(word)
            words = _OWN.get()
            where = words.of.setdefault(id(self), {}) if words is not None and words.open else self._words
            where[word] = thing
            return thing

        return add

    def find(self, word: str) -> T:
        """Return what `word` stands for; raise `UnknownWord` with the nearest known one."""
        try:
            return self[word]
        except KeyError:
            raise UnknownWord(word, nearest(word, self)) from None
