"""A word of the vocabulary as it stands in a file in, the kind with its fields filled in out."""

from __future__ import annotations

from typing import Any, TypeVar

from grader.kinds import UnknownWord, Vocabulary
from grader.kinds.kind import Kind
from grader.model import message
from grader.stages.spec.explain import got_text, validate
from grader.stages.spec.source import Problem, Source, Where, clean, or_near

K = TypeVar("K", bound=Kind)


def _find(
    vocabulary: Vocabulary[type[K]], word: str, source: Source, path: Where, *, key: bool
) -> type[K] | list[Problem]:
    try:
        return vocabulary.find(word)
    except UnknownWord as error:
        what = message("unknown word `{word}`", word=clean(word))
        if error.near is None:
            known = ", ".join(vocabulary)
            return [source.problem(path, message("{what}; the words are {known}", what=what, known=known), key=key)]
        return [source.problem(path, or_near(what, word, vocabulary), key=key)]


def keyed_word(vocabulary: Vocabulary[type[K]], source: Source, path: Where) -> K | list[Problem]:
    """Read a mapping with the word among its keys: `{normal: [B, T, D], scale: 40}`."""
    value = source.at(path)
    if not isinstance(value, dict):
        return []  # the model says so
    if not value:
        return [source.problem(path, message("expected a word with its value, such as `{{normal: [B, T, D]}}`"))]
    word = next((key for key in value if key in vocabulary), next(iter(value)))
    found = _find(vocabulary, word, source, (*path, word), key=True)
    return found if isinstance(found, list) else validate(found, source, path)


def bare_word(vocabulary: Vocabulary[type[K]], source: Source, path: Where) -> K | list[Problem]:
    """Read a word that stands alone or with options: `shape` or `{no_future_leak: {axis: T}}`."""
    value = source.at(path)
    if isinstance(value, str):
        found = _find(vocabulary, value, source, path, key=False)
        return found if isinstance(found, list) else validate(found, source, path, {})
    if not isinstance(value, dict) or len(value) != 1:
        return [
            source.problem(
                path, message("got {got}, expected a word, or one word with its options", got=got_text(value))
            )
        ]
    word, options = next(iter(value.items()))
    found = _find(vocabulary, word, source, (*path, word), key=True)
    return (
        found if isinstance(found, list) else validate(found, source, (*path, word), {} if options is None else options)
    )


def kind_word(
    vocabulary: Vocabulary[type[K]], source: Source, path: Where, common: frozenset[str], data: Any = None
) -> K | list[Problem]:
    """Read a mapping whose `kind` is the word and whose keys, beside the `common` ones, are its fields.

    `data` replaces what stands there.
    """
    value: Any = source.at(path) if data is None else data
    word = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(word, str):
        return []  # the model of the common keys says so
    found = _find(vocabulary, word, source, (*path, "kind"), key=False)
    if isinstance(found, list):
        return found
    return validate(found, source, path, {key: field for key, field in value.items() if key not in common}, common)
