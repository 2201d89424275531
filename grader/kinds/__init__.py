"""The vocabulary of YAML and the command line: one decorated class or function is one word."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class UnknownWord(KeyError):
    """A word that is not in a vocabulary; `near` is the closest one that is."""

    def __init__(self, word: str, near: str | None):
        super().__init__(word)
        self.word = word
        self.near = near


def nearest(word: str, known: object) -> str | None:
    """Return the known word that `word` was probably meant to be, or None."""
    found = difflib.get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.6)  # type: ignore[attr-defined]
    return found[0] if found else None


class Vocabulary(dict[str, T]):
    """Words of one sort (inputs, checks, questions, report formats) and what each stands for."""

    def word(self, word: str) -> Callable[[T], T]:
        """Decorate the class or function that `word` stands for."""

        def add(thing: T) -> T:
            if word in self:
                raise ValueError(f"the word {word!r} is taken")
            self[word] = thing
            return thing

        return add

    def find(self, word: str) -> T:
        """Return what `word` stands for; raise `UnknownWord` with the nearest known one."""
        try:
            return self[word]
        except KeyError:
            raise UnknownWord(word, nearest(word, self)) from None
