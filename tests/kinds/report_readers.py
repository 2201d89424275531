"""A rendered report in, what a reader of its format gets out: how a browser, a build log or a JSON parser understands it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import xmlschema
from markdown_it import MarkdownIt

from grader.author.schema import schemas

SCHEMAS = Path(__file__).with_name("schemas")
JUNIT = xmlschema.XMLSchema(str(SCHEMAS / "junit.xsd"))
JSON_SCHEMAS = {
    "json": json.loads(schemas()["report.schema.json"]),
    "ctrf": json.loads((SCHEMAS / "ctrf.schema.json").read_text()),
    "gradescope": json.loads((SCHEMAS / "gradescope.schema.json").read_text()),
}
RAW = {"quot": '"', "amp": "&", "lt": "<", "gt": ">"}


def validate(word: str, text: str) -> None:
    """Raise where the text is not what the format's schema asks for; formats without a schema pass."""
    if word == "junit":
        JUNIT.validate(text)
    elif word in JSON_SCHEMAS:
        jsonschema.validate(json.loads(text), JSON_SCHEMAS[word], jsonschema.Draft202012Validator)


def read(word: str, text: str) -> str:
    """Return all that a reader sees, one piece a line."""
    return "\n".join(READERS[word](text))


def _json(text: str) -> Iterator[str]:
    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from (name, *strings(inner))
        elif isinstance(value, list):
            for inner in value:
                yield from strings(inner)
        elif isinstance(value, str):
            yield value

    yield from strings(json.loads(text))


def _junit(text: str) -> Iterator[str]:
    for element in ET.fromstring(text).iter():
        yield from (*element.attrib.values(), element.text or "")


class Page(HTMLParser):
    """Collects what a page shows and what it is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def page(text: str) -> Page:
    """Return an HTML page taken apart."""
    found = Page()
    found.feed(text)
    found.close()
    return found


def _html(text: str) -> Iterator[str]:
    yield "".join(page(text).said)


def rendered(text: str) -> str:
    """Return Markdown as GitHub would render it, raw HTML and bare addresses included."""
    return str(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text))


def _markdown(text: str) -> Iterator[str]:
    yield "".join(page(rendered(text)).said)


COMMAND = re.compile(r"^\s*::([\w-]+)( [^:]*)?::(.*)$")


def commands(log: str) -> tuple[list[tuple[str, dict[str, str], str]], list[str]]:
    """Read a log as the runner of GitHub Actions does: return the commands that act, and the lines that are shown."""
    acting, shown, stopped = [], [], ""
    for row in log.split("\n"):
        if stopped:
            stopped = "" if row.strip() == f"::{stopped}::" else stopped
            shown += [row] if stopped else []
            continue
        found = COMMAND.match(row)
        if found and found[1] == "stop-commands":
            stopped = found[3]
        elif found:
            given = dict(pair.split("=", 1) for pair in (found[2] or "").strip().split(",") if pair)
            acting.append((found[1], {k: _unescaped(v) for k, v in given.items()}, _unescaped(found[3])))
        else:
            shown.append(row)
    assert not stopped, "commands stay switched off"
    return acting, shown


def _unescaped(value: str) -> str:
    for code, char in {"%3A": ":", "%2C": ",", "%0A": "\n", "%0D": "\r", "%25": "%"}.items():
        value = value.replace(code, char)
    return value


def _github(text: str) -> Iterator[str]:
    acting, shown = commands(text)
    for _, given, said in acting:
        yield from (*given.values(), said)
    yield from shown


READERS = {
    "text": lambda text: iter([text]),
    "json": _json,
    "ctrf": _json,
    "gradescope": _json,
    "junit": _junit,
    "html": _html,
    "markdown": _markdown,
    "github": _github,
}
