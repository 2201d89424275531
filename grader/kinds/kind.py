"""What every word of the vocabulary is built on: a strict frozen pydantic model, and the type of an author's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, WithJsonSchema
from pydantic_core import PydanticCustomError

from grader.locale import languages
from grader.model import LANGUAGES


class Kind(BaseModel):
    """A word: its fields are its YAML keys, its docstring is its help."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _by_language(text: Any) -> Any:
    if not isinstance(text, Mapping):
        raise PydanticCustomError("text_form", "expected a text in each language")
    return text


def _in_every_language(text: Mapping[str, str]) -> Mapping[str, str]:
    for key in text:
        if key not in languages():
            raise PydanticCustomError("text_key", "unknown language", {"key": key})
    for language in LANGUAGES:
        if not text.get(language, "").strip():
            raise PydanticCustomError("text_missing", "no text in this language", {"language": language})
    return text


_TEXT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {language: {"type": "string", "minLength": 1} for language in languages()},
    "required": list(LANGUAGES),
    "additionalProperties": False,
}

Said = Annotated[
    Mapping[str, str], BeforeValidator(_by_language), AfterValidator(_in_every_language), WithJsonSchema(_TEXT_SCHEMA)
]
"""`{en: …, zh: …}`, neither of them empty, and further languages that there is a catalogue of: the type of every field
that holds an author's text (`grader.model.Text`)."""
