"""YAML text in, plain data with the places of every key and value out; nothing in it is trusted.

The language is YAML 1.2 without what a course file never needs: no aliases, anchors, tags, merge keys or second documents, and no key
twice. `1e-5` is a number; `on`, `yes`, `no`, dates and times are text; a key is always text, as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.reader import Reader

from grader.model import Message, message
from grader.stages.spec.events import Events, of_a_course
from grader.stages.spec.source import Place, Problem, Source, Where, author_error, clean
from grader.stages.spec.syntax import explain_syntax


@dataclass(frozen=True)
class Caps:
    """How much of a file is read: `size` in bytes, `depth` in levels, `nodes` in keys and values."""

    size: int = 256 * 1024
    depth: int = 32
    nodes: int = 20_000


CAPS = Caps()

SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"~|null|Null|NULL|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,18}"), int),  # longer ones stay text: int() of a long text is slow
    (
        re.compile(
            r"[-+]?((\.[0-9]{1,40}|[0-9]{1,40}\.[0-9]{0,40})([eE][-+]?[0-9]{1,3})?|[0-9]{1,40}[eE][-+]?[0-9]{1,3})"
        ),
        float,
    ),
    (re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"), lambda text: float(text.replace(".", ""))),
)

UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

# What double quotes leave of \text, \top, \right, \frac and their like.
EATEN = re.compile(r"\t(ext|op|imes|frac|ilde|anh|au|heta|o\b)[a-z]*|\r(ight|ho|m\b)[a-z]*|[\a\b\f\v][a-z]+")
ESCAPES = {"\t": r"\t", "\r": r"\r", "\a": r"\a", "\b": r"\b", "\f": r"\f", "\v": r"\v"}


class _Stop(Exception):
    """A cap is reached: what follows is not read."""


@dataclass
class _Builder:
    """Turns events into data. It recurses no deeper than the cap on depth."""

    events: Any  # Events, whose methods PyYAML's stubs leave without types
    caps: Caps
    problems: list[Problem] = field(default_factory=list)
    values: dict[Where, Place] = field(default_factory=dict)
    keys: dict[Where, Place] = field(default_factory=dict)
    nodes: int = 0

    def document(self) -> Any:
        """Return the data of the only document."""
        self.events.get_event()  # start of the stream
        if self.events.check_event(yaml.StreamEndEvent):
            return None
        start = self.events.get_event()
        if start.version or start.tags:
            self.problems.append(_at(start, (), message("directives (`%…`) are not allowed")))
        data = self.value(())
        self.events.get_event()  # end of the document
        if not self.events.check_event(yaml.StreamEndEvent):
            more = self.events.peek_event()
            self.problems.append(_at(more, (), message("a second document (`---`) is not allowed")))
        return data

    def value(self, path: Where) -> Any:
        """Return the next value, a whole list or mapping where one starts."""
        event = self.events.get_event()
        self.count(event, path)
        self.values[path] = _place(event)
        self.refuse_extras(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.list_of(path)
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(path)
        return None  # an alias, refused above

    def list_of(self, path: Where) -> list[Any]:
        found: list[Any] = []
        while not self.events.check_event(yaml.SequenceEndEvent):
            found.append(self.value((*path, len(found))))
        self.events.get_event()
        return found

    def mapping(self, path: Where) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.events.check_event(yaml.MappingEndEvent):
            event = self.events.peek_event()
            key = self.key(path)
            here = (*path, key) if key is not None else path
            if key is not None and key in found:
                first = self.keys[here][0]
                what = message("the key `{key}` is there twice, first in line {line}", key=clean(key), line=first)
                self.problems.append(_at(event, here, what))
            elif key is not None:
                self.keys[here] = _place(event)
            value = self.value(here)
            if key is not None:
                found.setdefault(key, value)
        self.events.get_event()
        return found

    def key(self, path: Where) -> str | None:
        """Return the next key as it is written, None for one that is refused."""
        event = self.events.peek_event()
        if not isinstance(event, yaml.ScalarEvent):
            self.value((*path, "?"))  # a list, a mapping or an alias, one level deeper: the cap holds for keys too
            if not isinstance(event, yaml.AliasEvent):
                self.problems.append(_at(event, path, message("a key must be text")))
            return None
        self.events.get_event()
        self.count(event, path)
        self.refuse_extras(event, path)
        self.scalar(event, path)
        if event.value == "<<" and not event.style:
            self.problems.append(_at(event, path, message("merge keys (`<<`) are not allowed: write the keys out")))
            return None
        if not event.value:
            self.problems.append(_at(event, path, message("a key is missing before `:`")))
            return None
        return str(event.value)

    def scalar(self, event: yaml.ScalarEvent, path: Where) -> Any:
        text: str = event.value
        latex = EATEN.search(text) if event.style == '"' else None
        unsafe = UNSAFE.search(text)
        if latex:
            command = ESCAPES[latex[0][0]] + latex[0][1:]
            what = message(
                "double quotes make a control character of `{command}`: put LaTeX in single quotes", command=command
            )
            self.problems.append(_at(event, path, what))
        elif unsafe:
            code = f"U+{ord(unsafe[0]):04X}"
            self.problems.append(_at(event, path, message("the control character {code} is not allowed", code=code)))
        if event.style:  # in quotes or a block: text, whatever it looks like
            return text
        return next((make(text) for pattern, make in SCALARS if pattern.fullmatch(text)), text)

    def refuse_extras(self, event: Any, path: Where) -> None:
        if isinstance(event, yaml.AliasEvent):
            what = message("aliases (`*{name}`) are not allowed: write the value out", name=clean(event.anchor or ""))
            self.problems.append(_at(event, path, what))
            return
        if event.anchor is not None:
            what = message("anchors (`&{name}`) are not allowed", name=clean(event.anchor))
            self.problems.append(_at(event, path, what))
        if event.tag is not None:
            tag = clean(event.tag.replace("tag:yaml.org,2002:", "!!"))
            what = message("tags (`{tag}`) are not allowed: put text that starts with `!` in quotes", tag=tag)
            self.problems.append(_at(event, path, what))

    def count(self, event: Any, path: Where) -> None:
        self.nodes += 1
        if len(path) > self.caps.depth:
            what = message("nested deeper than {depth} levels", depth=self.caps.depth)
            self.problems.append(Problem(_place(event), path[:3], what))
            raise _Stop
        if self.nodes > self.caps.nodes:
            what = message("more than {nodes} keys and values", nodes=self.caps.nodes)
            self.problems.append(Problem(_place(event), (), what))
            raise _Stop


def parse(text: str, file: str, caps: Caps = CAPS) -> tuple[Source, list[Problem]]:
    """Return what could be read of a YAML mapping, and every problem of its syntax; raise nothing."""
    return _read(text, file, caps, Events)


def _read(text: str, file: str, caps: Caps, events: Callable[[str], Any]) -> tuple[Source, list[Problem]]:
    problem = _unreadable(text, caps)
    if problem:
        return Source(file, {}), [problem]
    builder = _Builder(events(text), caps)
    data: Any = {}
    try:
        data = builder.document()
    except yaml.MarkedYAMLError as error:
        builder.problems.append(explain_syntax(error))
    except _Stop:
        pass
    if not builder.problems and not isinstance(data, dict):
        what = message("the file is empty") if data is None else message("the file must consist of `key: value` lines")
        builder.problems.append(Problem((1, 1), (), what))
    found = data if isinstance(data, dict) else {}
    return Source(file, found, builder.values, builder.keys), builder.problems


def read_yaml(text: str, file: str, *, caps: Caps = CAPS) -> Source:
    """Return the data of a course's YAML mapping with its places; raise AuthorError with every problem of its syntax."""
    source, problems = _read(text, file, caps, of_a_course)
    if problems:  # the parser that explains has the last word
        source, problems = parse(text, file, caps)
    if problems:
        raise author_error(file, problems)
    return source


def _unreadable(text: str, caps: Caps) -> Problem | None:
    if len(text.encode("utf-8", "surrogatepass")) > caps.size:
        return Problem((1, 1), (), message("the file is larger than {size} KB", size=caps.size // 1024))
    bad = Reader.NON_PRINTABLE.search(text)
    if bad is None:
        return None
    before = text[: bad.start()]
    place = before.count("\n") + 1, bad.start() - (before.rfind("\n") + 1) + 1
    return Problem(place, (), message("the control character {code} is not allowed", code=f"U+{ord(bad[0]):04X}"))


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _at(event: Any, path: Where, what: Message) -> Problem:
    return Problem(_place(event), path, what)
