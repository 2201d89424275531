"""The YAML reader: what is data, what is refused, and where each problem is said to be."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest

from grader.model import AuthorError
from grader.stages.spec import Caps, read_answers, read_yaml
from grader.stages.spec.events import Events, quickly
from grader.stages.spec.reader import parse


def data(text: str) -> dict[str, Any]:
    return read_yaml(text, "f.yaml").data


def problems(text: str, caps: Caps | None = None) -> list[str]:
    with pytest.raises(AuthorError) as caught:
        read_yaml(text, "f.yaml", caps=caps or Caps())
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-5", 1e-5),
        ("1E5", 1e5),
        ("-.5", -0.5),
        ("3.", 3.0),
        ("+7", 7),
        ("010", 10),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("-.inf", -math.inf),
        ("on", "on"),
        ("yes", "yes"),
        ("NO", "NO"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("因果", "因果"),
        ("1" * 19, "1" * 19),
        ("[1, [a, 2.5]]", [1, ["a", 2.5]]),
        ("{x: {y: 1}}", {"x": {"y": 1}}),
    ],
)
def test_a_scalar_is_what_a_reader_takes_it_for(written: str, value: Any) -> None:
    got = data(f"a: {written}\n")["a"]
    assert got == value
    assert type(got) is type(value)


def test_nan_is_a_number() -> None:
    assert math.isnan(data("a: .nan")["a"])


def test_a_key_is_text_as_it_is_written() -> None:
    assert data("1: a\ntrue: b\n1e3: c\n") == {"1": "a", "true": "b", "1e3": "c"}


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble() -> None:
    assert data("\ufeffa: 1\r\nb: x\r\n") == {"a": 1, "b": "x"}


def test_every_value_and_key_has_its_place() -> None:
    source = read_yaml("a: 1\nb:\n  - {c: x, d: [5]}\n", "f.yaml")
    assert source.place(("a",)) == (1, 4)
    assert source.place(("b", 0)) == (3, 5)
    assert source.place(("b", 0, "d"), key=True) == (3, 12)
    assert source.place(("b", 0, "d", 0)) == (3, 16)
    assert source.place(("b", 0, "missing", "deeper")) == (3, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: the file is empty"),
        ("# only a comment\n", "1:1: the file is empty"),
        ("- a\n", "1:1: the file must consist of `key: value` lines"),
        ("hello", "1:1: the file must consist of `key: value` lines"),
        ("a: 1\nb: 2\na: 3\n", "3:1: a: the key `a` is there twice, first in line 1"),
        ("1: x\n'1': y\n", "2:1: 1: the key `1` is there twice, first in line 1"),
        ("a: &x 1\n", "1:4: a: anchors (`&x`) are not allowed"),
        ("a: *x\n", "1:4: a: aliases (`*x`) are not allowed: write the value out"),
        ("a: {<<: {b: 1}}\n", "1:5: a: merge keys (`<<`) are not allowed: write the keys out"),
        ("a: !!int 3\n", "1:4: a: tags (`!!int`) are not allowed: put text that starts with `!` in quotes"),
        ("a: ! x\n", "1:4: a: tags (`!`) are not allowed: put text that starts with `!` in quotes"),
        ("a: !e!x y\n", "1:4: tags are not allowed: put text that starts with `!` in quotes"),
        ("%YAML 1.1\n---\na: 1\n", "1:1: directives (`%…`) are not allowed"),
        ("%TAG ! x:\n---\na: 1\n", "1:1: directives (`%…`) are not allowed"),
        ("a: 1\n---\nb: 2\n", "2:1: a second document (`---`) is not allowed"),
        ("? [a, b]\n: c\n", "1:3: a key must be text"),
        ("{'': x}\n", "1:2: a key is missing before `:`"),
        ("a: \x00b", "1:4: the control character U+0000 is not allowed"),
        ("a: 1\nb: \ud800", "2:4: the control character U+D800 is not allowed"),
        ('a: "\\x1b[31m"\n', "1:4: a: the control character U+001B is not allowed"),
        ('a: "\\ud800"\n', "1:4: a: the control character U+D800 is not allowed"),
        ('a: "\\text{x}"\n', "1:4: a: double quotes make a control character of `\\text`: put LaTeX in single quotes"),
        ('a: "\\frac12"\n', "1:4: a: double quotes make a control character of `\\frac`: put LaTeX in single quotes"),
        (
            'a: "\\sqrt{2}"\n',
            "1:6: `\\s` means nothing in double quotes: use single quotes, or `|` and lines of their own",
        ),
        ("a:\n\t- b\n", "2:1: a tab character: indent with spaces"),
        ("a: 'x\nb: 1\n", "3:1: the quotation mark of line 1 is never closed"),
        ("a: @x\n", '1:4: text cannot start with "@": put it in quotes'),
        ("a: *\n", "1:5: text cannot start with `&` or `*`: put it in quotes"),
        (
            "a: b: c\n",
            "1:5: a `:` that cannot be here: put text with `: ` in quotes, and check the indentation",
        ),
        ("a: - b\n", "1:4: a `- ` that cannot be here: a list starts on a line of its own"),
        ("a: [1, 2\nb: 3\n", "2:2: expected `,` or `]`: the bracket of line 1 is not closed before this"),
        ("a: {x: Why?, y: z}\n", "1:11: text with `?` inside brackets: put it in quotes"),
        ("a: {x: 1\nb: 3\n", "2:2: expected `,` or `}`: the bracket of line 1 is not closed before this"),
        ("a:\n    b: 1\n  c: 2\n", "3:3: this does not fit what began in line 1: check indentation and quotes"),
        ("a: 1\njust words\nb: 2\n", "3:1: expected `key: value`, and found no `:` after the key of line 2"),
        (
            "a: |x\n",
            "1:5: this is not valid YAML: expected chomping or indentation indicators, but found 'x'",
        ),
    ],
)
def test_a_fault_is_named_at_its_place(text: str, expected: str) -> None:
    assert problems(text) == [f"f.yaml:{expected}"]


def test_all_faults_that_do_not_stop_the_reader_are_told_at_once() -> None:
    got = problems("a: &x 1\nb: *x\nc: !t 2\na: 3\nd: [1, 2\n")
    assert [line.split(":")[1] for line in got] == ["1", "2", "3", "4", "6"]


def test_names_from_the_file_are_shown_short_and_harmless() -> None:
    got = problems('"\\e[31m": 1\n"\\e[31m": 2\n')
    assert all(line.isprintable() for line in got)
    assert max(map(len, problems("a" * 900 + ": 1\n" + "a" * 900 + ": 2\n"))) < 250


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: " + "x" * 200, "1:1: the file is larger than 0 KB"),
        ("a: [[[[[1]]]]]", "1:8: a[0][0]: nested deeper than 4 levels"),
        ("a: [1, 2, 3, 4, 5, 6, 7, 8, 9]", "1:23: more than 9 keys and values"),
    ],
)
def test_caps_hold(text: str, expected: str) -> None:
    assert problems(text, Caps(size=100, depth=4, nodes=9)) == [f"f.yaml:{expected}"]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\n" + "".join(f"{c}: &{c} [{', '.join(['*a'] * 9)}]\n" for c in "bcdefghij"),
        "[" * 100_000,
        "{a: " * 50_000,
        "- " * 100_000,
        "{" * 1000 + "\n" + "}" * 1000,
        "".join(" " * depth + "a:\n" for depth in range(600)),
        "? " * 50_000,
        "a: [" + "[], " * 60_000 + "]",
        "a: " + "&x " * 50_000,
    ],
    ids=["aliases", "lists", "mappings", "dashes", "keys", "blocks", "questions", "wide", "anchors"],
)
def test_a_bomb_is_refused_quickly(text: str) -> None:
    start = time.perf_counter()
    assert problems(text)
    assert time.perf_counter() - start < 5


def test_every_file_of_the_course_reads_the_same_from_both_parsers() -> None:
    root = Path(__file__).parents[3]
    files = sorted(root.glob("[eqr][xue]*/*.yaml"))
    assert len(files) > 50
    for file in files:
        text = file.read_text(encoding="utf-8")
        with quickly():
            assert (read_yaml(text, file.name), []) == parse(text, file.name)


@pytest.mark.parametrize(
    "text", ["a: [1", "a: 'b", "a: 1\na: 2", "a: &x 1", "a: *x", "%YAML 1.1\n---\na: 1", "a: 1\n---\nb: 2"]
)
def test_what_is_wrong_is_told_by_the_parser_that_explains(text: str) -> None:
    with quickly(), pytest.raises(AuthorError) as caught:
        read_yaml(text, "f.yaml")
    assert list(caught.value.problems) == problems(text)


def test_the_parser_in_c_is_asked_for_files_of_a_course_and_only_where_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("yaml.cyaml", reason="PyYAML was built without libyaml")
    asked: list[str] = []
    monkeypatch.setattr("yaml.cyaml.CParser", lambda text: asked.append(text) or Events(text))
    read_yaml("a: 1", "f.yaml")
    with quickly():
        assert read_answers(b"quiz: x\nanswers: {a: 1}\n", "x.yaml").answers == {"a": 1}
        assert asked == []
        assert read_yaml("a: 1", "f.yaml").data == {"a": 1}
    assert asked == ["a: 1"]
