"""The models of course files and of the JSON report in, JSON Schemas out.

They complete and check course files in an editor, saying less than the loader, which also knows what must fit together; and they
tell programs what a report holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from grader.author.report_file import ReportFile
from grader.kinds import Vocabulary
from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.kinds.questions import QUESTIONS
from grader.stages.spec.models import AnswersFile, CourseFile, ExerciseFile, MistakeFile, QuestionFile, QuizFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schemas() -> dict[str, str]:
    """Return the text of each file of `schemas/` by its name."""
    mistakes = _schema("The texts of mistakes", MistakeFile)
    built = {
        "exercise.schema.json": _schema("An exercise", ExerciseFile, inputs=INPUTS, checks=CHECKS),
        "quiz.schema.json": _schema("A quiz", QuizFile, questions=QUESTIONS),
        "course.schema.json": _schema("A course", CourseFile),
        "answers.schema.json": _schema("An answer sheet", AnswersFile),
        "report.schema.json": _schema("A report, format 1", ReportFile),
        "mistakes.schema.json": {
            "$schema": mistakes.pop("$schema"),
            "title": mistakes.pop("title"),
            "type": "object",
            "$defs": mistakes.pop("$defs", {}),
            "additionalProperties": mistakes,
        },
    }
    return {name: json.dumps(schema, ensure_ascii=False, indent=1) + "\n" for name, schema in built.items()}


class _Untitled(GenerateJsonSchema):
    """Leaves out the titles that pydantic makes of field names: an editor would show them instead of the description."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _schema(title: str, model: type[BaseModel], **words: Vocabulary[Any]) -> Schema:
    """Return the schema of a file, with the words that may stand where its model has `{"words": …}`."""
    kinds = [kind for vocabulary in words.values() for kind in vocabulary.values()]
    common = [QuestionFile] if "questions" in words else []
    every = list(dict.fromkeys([model, *common, *kinds]))
    refs, made = models_json_schema([(one, "validation") for one in every], schema_generator=_Untitled)
    definitions: Schema = made["$defs"]
    of_model = {one: refs[one, "validation"]["$ref"].rsplit("/", 1)[-1] for one in every}
    question = definitions.pop(of_model[QuestionFile]) if common else {}
    top = definitions.pop(of_model[model])
    for sort, vocabulary in words.items():
        choices = {word: definitions.pop(of_model[kind]) for word, kind in vocabulary.items()}
        definitions[sort] = WORDS[sort](choices, question)
    whole = {"$schema": DIALECT, **top, "title": title, "$defs": definitions}
    pointed = _pointed(whole if definitions else {key: value for key, value in whole.items() if key != "$defs"})
    return dict(pointed)


def _pointed(schema: Any) -> Any:
    """Return the schema with a reference to the words wherever the models left a place for them."""
    if isinstance(schema, list):
        return [_pointed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("words"), str):
        return {"$ref": f"#/$defs/{schema['words']}"}
    return {key: _pointed(value) for key, value in schema.items()}


def _keyed(choices: dict[str, Schema], question: Schema) -> Schema:
    """`{normal: [B, T, D], scale: 40}`: the word is one of the keys."""
    return {"anyOf": list(choices.values())}


def _bare(choices: dict[str, Schema], question: Schema) -> Schema:
    """`shape`, or `{no_future_leak: {axis: T}}`."""
    alone = [{"const": word, "description": schema.get("description", "")} for word, schema in choices.items()]
    optioned = {word: schema for word, schema in choices.items() if schema.get("properties")}
    options = {
        "type": "object",
        "properties": optioned,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {"anyOf": [*alone, options]}


def _of_kind(choices: dict[str, Schema], question: Schema) -> Schema:
    """`{id: …, kind: number, …}`: the common keys of every question, and those of its kind."""
    return {
        "anyOf": [
            {
                **schema,
                "properties": {**question["properties"], "kind": {"const": word}, **schema.get("properties", {})},
                "required": [*question["required"], *schema.get("required", [])],
            }
            for word, schema in choices.items()
        ]
    }


WORDS: dict[str, Callable[[dict[str, Schema], Schema], Schema]] = {
    "inputs": _keyed,
    "checks": _bare,
    "questions": _of_kind,
}
