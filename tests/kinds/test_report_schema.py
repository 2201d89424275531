"""The published schema of the JSON report: every sample is valid, every field is described, and it refuses what is not a report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hostile_samples import PAYLOADS, everywhere
from report_readers import JSON_SCHEMAS
from report_samples import errored, failed, folder, report

from grader.author.report_file import ReportFile
from grader.kinds.reports import REPORTS, ReportStyle
from grader.model import Isolation, Report

SCHEMA = JSON_SCHEMAS["json"]
REPORTED = {
    "folder": folder(),
    "nothing": report(),
    "bare": report(failed(), isolation=Isolation("none", keeps_answers=False)),
    **{name: everywhere(payload) for name, (payload, _) in PAYLOADS.items() if name != "long"},
}


def plain(one: Report, lang: str = "en") -> Any:
    return json.loads(REPORTS["json"](one, ReportStyle(lang)))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", REPORTED)
def test_every_sample_is_valid(name: str, lang: str) -> None:
    jsonschema.validate(plain(REPORTED[name], lang), SCHEMA, jsonschema.Draft202012Validator)
    ReportFile.model_validate_json(REPORTS["json"](REPORTED[name], ReportStyle(lang)), strict=False)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def fields(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the fields of a report that its schema does not name."""
    schema = next(iter(schema.get("anyOf", ())), schema)
    schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name in schema["properties"]:
                yield from fields(inner, schema["properties"][name])
            else:
                yield name
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner, schema.get("items", {}))


def test_the_schema_names_every_field_that_is_written() -> None:
    assert list(fields(plain(folder()), SCHEMA)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"lang": ""},
        {"score": -1},
        {"score": "10"},
        {"isolation": {"level": "some"}},
        {"results": [{"kind": "exercise"}]},
        {"notes": None},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_no_report(change: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**plain(folder()), **change}, SCHEMA, jsonschema.Draft202012Validator)


def test_a_line_of_a_notebook_names_its_cell() -> None:
    two = replace(errored(), source=((3, "", "a"), (1, "f", "b")), cells=(4, 0))
    (result,) = plain(report(two))["results"]
    assert [(place["cell"], place["line"]) for place in result["source"]] == [(4, 3), (None, 1)]


def test_a_field_may_be_added_within_the_format() -> None:
    jsonschema.validate({**plain(folder()), "new": 1}, SCHEMA, jsonschema.Draft202012Validator)
