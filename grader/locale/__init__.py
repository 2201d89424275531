"""Messages and author's texts in, one language's string out: the only place where a text is chosen and filled in.

The catalogue's key is the English template itself, so a text without a translation is still a sentence.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.model import LANGUAGES, Message, Sayable

FOLDER = Path(__file__).parent


@lru_cache
def languages() -> tuple[str, ...]:
    """Return the languages that there is a catalogue of, beside English: those of authors' texts first."""
    found = {path.parent.parent.name for path in FOLDER.glob("*/LC_MESSAGES/grader.mo")}
    return (*LANGUAGES, *sorted(found.difference(LANGUAGES)))


@lru_cache
def _catalogue(lang: str) -> gettext.NullTranslations:
    return gettext.translation("grader", FOLDER, languages=[lang], fallback=True)


def say(text: Sayable | str, lang: str) -> str:
    """Return `text` in `lang`, one of `languages()`, in English where it has no translation.

    Fields that are messages or texts themselves are said in the same language; every other field is formatted as the template asks.
    """
    if isinstance(text, str):
        return text
    if isinstance(text, Message):
        template = _catalogue(lang).gettext(text.template) if text.template else ""
        return template.format(**{name: _said(value, lang) for name, value in text.fields.items()})
    return text.get(lang) or text.get("en") or next(iter(text.values()), "")


def _said(value: Any, lang: str) -> Any:
    return say(value, lang) if isinstance(value, (Message, Mapping)) else value


def language(flag: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """Return the language to speak: `flag` if given, else that of LC_ALL, LC_MESSAGES or LANG, else English."""
    if flag:
        return flag
    named = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    spoken = named.replace("-", "_").split("_")[0].split(".")[0].lower()
    return spoken if spoken in languages() else "en"
