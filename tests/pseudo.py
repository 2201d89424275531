"""A language that nobody speaks, made of the catalogue and of a course: every text with accents and in brackets.

What is left without accents in an output was never translated.
"""

from __future__ import annotations

import re
import shutil
import string
from pathlib import Path
from typing import Any

import yaml
from babel.messages.catalog import Catalog

import grader.locale
from grader.locale import catalogue

LANG = "xx"
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "áƀćďéƒğĥíĵķľɱńóƥqřšťúṽŵẋýžÁƁĆĎÉƑĞĤÍĴĶĽṀŃÓƤQŘŠŤÚṼŴẊÝŽ"
TO_ACCENTS = str.maketrans(PLAIN, ACCENTED)
BACK = str.maketrans(ACCENTED, PLAIN)


def accented(text: str) -> str:
    """Return a text with accents, in brackets; white space around it stays outside."""
    core = text.strip()
    return text.replace(core, f"⟦{core.translate(TO_ACCENTS)}⟧", 1) if core else text


def pseudo(template: str) -> str:
    """Return a template with accents on everything but its fields."""
    parts = []
    for literal, name, form, conversion in string.Formatter().parse(template):
        parts.append(literal.translate(TO_ACCENTS).replace("{", "{{").replace("}", "}}"))
        if name is not None:
            parts.append("{" + name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}")
    whole = "".join(parts)
    core = whole.strip()
    words = re.sub(r"\{[^}]*\}", "", core)
    return whole.replace(core, f"⟦{core}⟧", 1) if any(c.isalpha() for c in words) else template


def write_catalogue(folder: Path) -> None:
    """Write the catalogue of the language, as a translator would: started by command, filled in, brought in step."""
    catalogue.main(["--new", LANG], folder)
    po = catalogue.po_file(LANG, folder)
    filled = Catalog(locale=LANG, charset="utf-8", fuzzy=False)
    for entry in catalogue.read(po, LANG):
        if entry.id:
            filled.add(entry.id, pseudo(str(entry.id)))
    po.write_bytes(catalogue.po_bytes(filled, LANG))
    catalogue.main([], folder)


def with_language(data: Any) -> Any:
    """Return plain data in which every text has the further language."""
    if isinstance(data, dict):
        if set(data) == {"en", "zh"}:
            return {**data, LANG: accented(data["en"])}
        return {key: with_language(value) for key, value in data.items()}
    return [with_language(value) for value in data] if isinstance(data, list) else data


def course_in_it(course: Path, to: Path) -> Path:
    """Copy a course with every text of its files in the further language too."""
    shutil.copytree(course, to, ignore=shutil.ignore_patterns("__pycache__"))
    for file in to.rglob("*.yaml"):
        data = with_language(yaml.safe_load(file.read_text(encoding="utf-8")))
        file.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=1000), encoding="utf-8")
    for file in (to / "kinds").glob("*.py"):
        more = re.sub(
            r'\{"en": "(.*?)", "zh"',
            lambda found: f'{{"{LANG}": "{accented(found[1])}", "en": "{found[1]}", "zh"',
            file.read_text(),
        )
        file.write_text(more, encoding="utf-8")
    return to


def forget_languages() -> None:
    """Let the catalogues be looked for anew."""
    grader.locale.languages.cache_clear()
    grader.locale._catalogue.cache_clear()


CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
"""Code in an output: it is the same in every language."""


def untranslated(text: str, names: frozenset[str]) -> set[str]:
    """Return the plain words of an output, code left out, that are neither translated nor among the names."""
    words = re.findall(r"[^\W\d_][\w'.]*", CODE.sub(" ", text))
    return {word for word in words if word.isascii() and len(word) > 2 and word.strip(".'") not in names}
