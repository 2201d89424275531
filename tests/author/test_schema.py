"""The JSON Schemas: in step with the models, complete, and sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.author.schema import schemas
from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.kinds.questions import QUESTIONS

FOLDER = Path(__file__).parents[2] / "schemas"
MADE = schemas()
NAMES = sorted(MADE)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(inner)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_models_give(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == MADE[name], "run `grader author schema --out schemas`"


def test_no_other_file_lies_in_the_folder() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_says_what_it_is_for_and_refers_to_nothing_that_is_not_there(name: str) -> None:
    schema = json.loads(MADE[name])
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["title"]
    for part in parts(schema):
        assert "words" not in part or not isinstance(part["words"], str), "a place for words was left open"
        if "$ref" in part:
            found = schema
            for step in part["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            assert found


def test_the_exercise_schema_knows_every_word() -> None:
    words = json.loads(MADE["exercise.schema.json"])["$defs"]
    inputs = [set(choice["properties"]) for choice in words["inputs"]["anyOf"]]
    assert all(any(word in keys for keys in inputs) for word in INPUTS)
    assert {choice["const"] for choice in words["checks"]["anyOf"] if "const" in choice} == set(CHECKS)
    assert all(choice.get("description") for choice in (*words["inputs"]["anyOf"], *words["checks"]["anyOf"][:-1]))


def test_a_check_with_options_offers_them() -> None:
    options = json.loads(MADE["exercise.schema.json"])["$defs"]["checks"]["anyOf"][-1]["properties"]
    assert "axis" in options["no_future_leak"]["properties"]


def test_the_quiz_schema_knows_every_kind_with_the_common_keys() -> None:
    kinds = json.loads(MADE["quiz.schema.json"])["$defs"]["questions"]["anyOf"]
    assert [kind["properties"]["kind"]["const"] for kind in kinds] == list(QUESTIONS)
    for kind in kinds:
        assert {"id", "points", "prompt", "hints", "explanation", "group", "practises"} < set(kind["properties"])
        assert {"id", "kind", "points", "prompt"} <= set(kind["required"])
        assert kind["additionalProperties"] is False
        assert kind["description"]


def test_a_case_takes_sizes_under_any_other_key() -> None:
    case = json.loads(MADE["exercise.schema.json"])["$defs"]["CaseFile"]
    assert [choice["type"] for choice in case["additionalProperties"]["anyOf"]] == ["integer", "array"]
