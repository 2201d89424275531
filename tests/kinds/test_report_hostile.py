"""Hostile text in every place of a report: harmless in every format, and readable in a visibly escaped form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache

import pytest
from hostile_samples import PAYLOADS, everywhere
from hypothesis import given, settings
from hypothesis import strategies as st
from report_readers import COMMAND, commands, page, read, rendered, validate

from grader.kinds.reports import REPORTS, ReportStyle, github

LIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
MARKED = re.compile(r"##\w*\[")
STYLE = ReportStyle("en", width=100)

ACTIVE = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "button",
    "link",
    "base",
    "video",
    "audio",
    "svg",
}

every_format = pytest.mark.parametrize("word", sorted(REPORTS))
every_payload = pytest.mark.parametrize("name", PAYLOADS)


@cache
def show(word: str, payload: str) -> str:
    return REPORTS[word](everywhere(payload), STYLE)


@every_format
@every_payload
def test_hostile_text_is_harmless_and_readable(word: str, name: str) -> None:
    payload, visible = PAYLOADS[name]
    text = show(word, payload)
    text.encode("utf-8")
    validate(word, text)
    assert not LIVE.search(text)
    assert not MARKED.search(text)
    assert len(text) < 250_000
    seen = re.sub(r"\s+", " ", read(word, text))
    for part in visible:
        assert readable(part) in seen.replace("\\x3a:", "::").replace("\\x5b", "["), part


def readable(part: str) -> str:
    return re.sub(r"\s+", " ", part)


@pytest.mark.parametrize("word", sorted({*REPORTS} - {"github"}))
@every_payload
def test_nothing_in_a_report_is_a_command_of_a_build_log(word: str, name: str) -> None:
    assert not [
        row for row in show(word, PAYLOADS[name][0]).split("\n") if COMMAND.match(row) or row.lstrip().startswith("::")
    ]


@every_payload
def test_in_the_log_of_github_only_our_commands_act(name: str) -> None:
    acting, shown = commands(show("github", PAYLOADS[name][0]))
    assert {command for command, _, _ in acting} <= {"error", "warning", "notice"}
    assert all(set(given) <= {"file", "line", "col", "title"} for _, given, _ in acting)
    assert not [row for row in shown if row.lstrip().startswith("::") or MARKED.search(row)]
    titles = [given.get("title") for command, given, _ in acting if command == "notice"]
    assert titles[:2] == ["Autograding complete", "Autograding report"]
    assert titles.count("Autograding report") == 1


@every_payload
def test_a_page_is_made_of_the_same_parts_whatever_is_in_it(name: str) -> None:
    found, plain = page(show("html", PAYLOADS[name][0])), page(show("html", "plain"))
    assert found.tags == plain.tags
    assert {name for name, _ in found.attributes} == {name for name, _ in plain.attributes}
    assert not found.tags & ACTIVE
    assert {value[0] for name, value in found.attributes if name in {"href", "src"}} <= {"#"}


def as_summary(payload: str) -> str:
    return github.summary(everywhere(payload), STYLE, 900_000)


def as_comment(payload: str) -> str:
    return show("markdown", payload)


@pytest.mark.parametrize("make", [as_comment, as_summary])
@every_payload
def test_markdown_is_made_of_the_same_parts_whatever_is_in_it(name: str, make: Callable[[str], str]) -> None:
    found, plain = page(rendered(make(PAYLOADS[name][0]))), page(rendered(make("plain")))
    assert found.tags <= plain.tags | {"br"}
    assert {name for name, _ in found.attributes} <= {name for name, _ in plain.attributes}
    assert not found.tags & {*ACTIVE, "a"}


@pytest.mark.parametrize("word", ["json", "ctrf", "gradescope"])
def test_json_can_be_pasted_into_a_page(word: str) -> None:
    text = show(word, "</script><!--<script>")
    assert "</" not in text
    assert "<!--" not in text
    assert "</script><!--<script>" in read(word, text)


EDGES = (range(0x3000), range(0xD7F0, 0xE010), range(0xFDC0, 0x10010), range(0x1FFF0, 0x20000), range(0xE0000, 0xE0200))
CODES = [code for edge in EDGES for code in edge]


@pytest.mark.parametrize("start", range(0, len(CODES), 500))
def test_every_sort_of_character_is_legal_in_xml(start: int) -> None:
    text = show("junit", "".join(map(chr, CODES[start : start + 500])))  # no more than is shown of one line
    validate("junit", text)
    assert not LIVE.search(text)


@every_format
@settings(max_examples=15, deadline=None)
@given(start=st.text(st.characters(), max_size=60) | st.text(":#[]<>&|`*_-=\n\r\x1b\"'\\/ax ", max_size=60))
def test_no_text_breaks_a_format(word: str, start: str) -> None:
    text = show(word, start + "x")  # names are never empty
    validate(word, text)
    read(word, text)
    assert not LIVE.search(text)
    assert not MARKED.search(text)


def test_a_reader_of_json_gets_back_what_is_shown() -> None:
    shown = "\\x1b[31mred\\x1b[0m"
    plain = json.loads(show("json", "\x1b[31mred\x1b[0m"))
    first = plain["results"][0]
    assert first["headline"] == first["slug"] == first["printed"] == first["outcomes"][0]["case"] == shown
