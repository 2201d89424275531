"""The text of course.yaml and a slug in, the text with the slug in one of its modules out; comments and layout stay as they are."""

from __future__ import annotations

from typing import Any

import yaml

from grader.model import AuthorError
from grader.stages.spec.reader import read_yaml


class NotListed(Exception):
    """The text is written in a way that a slug cannot be put into."""


def with_entry(text: str, module: int, folder: str, slug: str) -> str:
    """Return course.yaml with `slug` at the end of the `exercises` or `quizzes` of a module; raise NotListed."""
    try:
        modules = _value(yaml.compose(text), "modules")
        chapter = modules.value[module]
        listed = _value(chapter, folder)
        changed = _in_list(text, listed, slug) if listed is not None else _new_key(text, chapter, folder, slug)
        before, after = _data(text), _data(changed)
    except (yaml.YAMLError, AuthorError, AttributeError, IndexError, TypeError) as error:
        raise NotListed from error
    before["modules"][module][folder] = [*(before["modules"][module].get(folder) or ()), slug]
    if after != before:
        raise NotListed
    return changed


def _data(text: str) -> Any:
    return read_yaml(text, "").data


def _value(mapping: Any, key: str) -> Any:
    return next((value for name, value in mapping.value if name.value == key), None)


def _in_list(text: str, listed: Any, slug: str) -> str:
    """Add to a list: in brackets before the closing one, in a block on a line of its own."""
    if isinstance(listed, yaml.ScalarNode):  # `exercises:` with nothing behind it
        return text[: listed.start_mark.index] + f" [{slug}]" + text[listed.end_mark.index :]
    if listed.flow_style:
        at = len(text[: listed.end_mark.index - 1].rstrip())
        comma = ", " if listed.value and text[at - 1] != "," else " " if listed.value else ""
        return text[:at] + comma + slug + text[at:]
    last = listed.value[-1]
    at = _line_end(text, last.end_mark.index)
    return text[:at] + f"\n{' ' * listed.start_mark.column}- {slug}" + text[at:]


def _new_key(text: str, chapter: Any, folder: str, slug: str) -> str:
    """Add the list itself, after the first key of the module."""
    if chapter.flow_style:
        at = len(text[: chapter.end_mark.index - 1].rstrip())
        return text[:at] + f", {folder}: [{slug}]" + text[at:]
    value = chapter.value[0][1]
    inside = len(text[: value.end_mark.index].rstrip())  # a block ends where the next thing begins
    at = _line_end(text, inside)
    return text[:at] + f"\n{' ' * chapter.start_mark.column}{folder}: [{slug}]" + text[at:]


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
