"""A course file in, what is wrong with its texts out: formulas that a page cannot show, texts that are still to be translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grader.author.finding import Finding, found_at
from grader.author.new_marks import UNTRANSLATED
from grader.kinds.reports.mathml import problem
from grader.kinds.reports.prose import FORMULA
from grader.model import LANGUAGES, message
from grader.stages.spec.source import Source, Where

CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
WORDS = re.compile(r"[A-Za-z]{2,}")
BLOCK = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
SENTENCE = 3
"""Words from which on a text without any Chinese character is not a name or a formula."""


def text_findings(source: Source, text: str) -> Iterator[Finding]:
    """Yield what is wrong with the texts in a file; `text` is the file itself."""
    yield from _case_names(source)
    for path, texts in _texts(source.data, ()):
        chinese, english = texts.get("zh"), texts.get("en")
        if isinstance(chinese, str) and isinstance(english, str):
            yield from _untranslated(source, (*path, "zh"), chinese)
        for language in LANGUAGES:
            if isinstance(texts.get(language), str):
                yield from _formulas(source, text, (*path, language), texts[language])


def _case_names(source: Source) -> Iterator[Finding]:
    """A name may be one text for all; learners then read it as it is."""
    cases = source.at(("cases",))
    listed = cases if isinstance(cases, list) else []
    plain = [at for at, case in enumerate(listed) if isinstance(case, dict) and isinstance(case.get("name"), str)]
    if plain:
        what = message("names of cases that are in one language only: {n}", n=len(plain))
        remedy = message("Write them as {{en: …, zh: …}}.")
        yield found_at(source, ("cases", plain[0], "name"), what, remedy, mend=False)


def _texts(data: Any, path: Where) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Yield each `{en: …, zh: …}` with its path."""
    if isinstance(data, dict):
        if data and set(data) <= set(LANGUAGES):
            yield path, data
            return
        for key, value in data.items():
            yield from _texts(value, (*path, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _texts(value, (*path, at))


def _untranslated(source: Source, path: Where, chinese: str) -> Iterator[Finding]:
    if chinese.startswith(UNTRANSLATED) or (not CHINESE.search(chinese) and len(WORDS.findall(chinese)) >= SENTENCE):
        yield found_at(source, path, message("this text is not translated"), message("Write it in Chinese."))


def _formulas(source: Source, text: str, path: Where, said: str) -> Iterator[Finding]:
    for latex in (*BLOCK.findall(said), *FORMULA.findall(BLOCK.sub("", said))):
        why = problem(latex)
        if why is None:
            continue
        what = message("the formula `{latex}` does not show in a page: {why}", latex=latex.strip(), why=why)
        line, column = _inside(source, text, path, latex)
        yield Finding(
            f"{source.file}:{line}:{column}", what, message("Write it in other words, or as code in backticks.")
        )


def _inside(source: Source, text: str, path: Where, part: str) -> tuple[int, int]:
    """Return where a part of a value stands: at its first line in the file from the value on, else where the value begins."""
    line, column = source.place(path)
    first = part.strip().splitlines()[0]
    for number, row in enumerate(text.splitlines()[line - 1 :], line):
        at = row.find(first, column - 1 if number == line else 0)
        if at >= 0:
            return number, at + 1
    return line, column
