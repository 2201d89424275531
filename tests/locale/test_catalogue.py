"""The Chinese catalogue is complete, keeps every field, and is in step with the sources."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from grader.locale import catalogue

HINT = "write the translation into a fragment grader/locale/zh/*.po, then run `make catalogue`"


@pytest.fixture(scope="module")
def used() -> dict[str, list[str]]:
    return catalogue.templates()


@pytest.fixture(scope="module")
def entries() -> dict[str, str]:
    return {str(entry.id): str(entry.string) for entry in catalogue.read(catalogue.po_file("zh"), "zh") if entry.id}


def fields(template: str) -> set[str]:
    return {
        name.split(".")[0].split("[")[0] for _, name, _, _ in string.Formatter().parse(template) if name is not None
    }


def test_every_template_has_a_chinese_translation(used: dict[str, list[str]], entries: dict[str, str]) -> None:
    missing = [f"{', '.join(files)}: {text!r}" for text, files in used.items() if not entries.get(text)]
    assert not missing, HINT + "\n" + "\n".join(missing)


def test_a_translation_has_the_fields_of_its_template(entries: dict[str, str]) -> None:
    assert not [text for text, chinese in entries.items() if chinese and fields(text) != fields(chinese)]


def test_a_translation_is_chinese_where_its_template_has_words(entries: dict[str, str]) -> None:
    def has_words(text: str) -> bool:
        return any(c.isalpha() for literal, *_ in string.Formatter().parse(text) for c in literal)

    def is_chinese(text: str) -> bool:
        return any("\u4e00" <= c <= "\u9fff" for c in text)

    same_in_both = {"{title} — Attention Grader"}
    assert not [t for t, zh in entries.items() if has_words(t) and zh and not is_chinese(zh) and t not in same_in_both]


def test_the_catalogue_holds_no_template_that_is_not_used(used: dict[str, list[str]], entries: dict[str, str]) -> None:
    assert set(entries) - set(used) == set()


def test_the_files_are_what_the_sources_give() -> None:
    merged, po = catalogue.merged("zh"), catalogue.po_file("zh")
    assert catalogue.po_bytes(merged, "zh") == po.read_bytes(), "run `make catalogue`"
    assert catalogue.mo_bytes(merged, "zh") == po.with_suffix(".mo").read_bytes(), "run `make catalogue`"


def literal(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)


@pytest.mark.parametrize(
    "file", sorted(catalogue.PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(catalogue.PACKAGE))
)
def test_a_message_is_made_of_a_literal_template_and_its_fields(file: Path) -> None:
    for call in catalogue.calls(file):
        where = f"{file.name}:{call.lineno}"
        assert literal(call), f"{where}: the template must be a plain string, so that it can be found and translated"
        given = {word.arg for word in call.keywords}
        if None not in given:  # **fields cannot be read here
            assert given == fields(call.args[0].value), where  # type: ignore[attr-defined]


def test_a_template_is_found_over_several_lines_and_without_its_fields(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('message(\n    "one "\n    "two {n}",\n    n="three",\n)\nother("four")\n')
    assert catalogue.templates(tmp_path) == {"one two {n}": ["a.py"]}
