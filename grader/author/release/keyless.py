"""A quiz file of a graded quiz in, the same without what tells an answer out: keys, feedback, explanations, computed draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from grader.kinds.drawn import PLACE, Varies, stored
from grader.kinds.questions import QUESTIONS
from grader.model import GraderError, Question, Quiz
from grader.stages.sheet import kind_of
from grader.stages.spec.variants import keyless

TELLING = ("least", "most", "apart")
"""What `varies` says about the key."""


def without_keys(data: Mapping[str, Any], draws: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return the plain data of a graded quiz as a learner may have it, and the text of its file of draws, None for none."""
    questions = [_question(raw) for raw in data["questions"]]
    kept = {}
    for raw in questions:
        if raw["id"] in draws and "varies" in raw:
            kept[raw["id"]] = _draws(raw["varies"], keyless(draws)[raw["id"]])
    return {**data, "questions": questions}, stored(kept) if kept else None


def _question(raw: Mapping[str, Any]) -> dict[str, Any]:
    telling = {*QUESTIONS[raw["kind"]].key_fields, "explanation"}
    bare = {name: _without_feedback(part) for name, part in raw.items() if name not in telling}
    if "varies" in bare:
        bare["varies"] = _varies(bare)
        if not bare["varies"]["values"]:
            del bare["varies"]
    return bare


def _without_feedback(part: Any) -> Any:
    """Return options without what is said of each."""
    if not isinstance(part, Mapping) or not all(
        isinstance(option, Mapping) and "text" in option for option in part.values()
    ):
        return part
    return {letter: {k: v for k, v in option.items() if k != "feedback"} for letter, option in part.items()}


def _varies(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a question varies, with those values alone that are still used: one may be the answer."""
    varies: dict[str, Any] = question["varies"]
    shown = {
        name for part in _texts({k: v for k, v in question.items() if k != "varies"}) for name in PLACE.findall(part)
    }
    bare = {name: part for name, part in varies.items() if name not in TELLING}
    bare["values"] = {name: drawn for name, drawn in varies["values"].items() if name in shown}
    alike = [[name for name in names if name in bare["values"]] for names in varies.get("different", ())]
    bare.pop("different", None)
    if kept := [names for names in alike if len(names) > 1]:
        bare["different"] = kept
    return bare


def _texts(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, (list, tuple)) else ()
    return [text for each in inner for text in _texts(each)]


def _draws(varies: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    try:
        digest = Varies.model_validate(varies).digest()
    except ValidationError as error:
        raise GraderError(f"`varies` does not stand alone without its key: {error.errors()[0]['msg']}") from error
    kept = [{"values": {n: v for n, v in draw["values"].items() if n in varies["values"]}} for draw in found["draws"]]
    return {**found, "of": digest, "draws": kept}


def keys_left(bare: Quiz, whole: Quiz) -> list[str]:
    """Return the ids of questions that say more than a learner may have: none, when all is well."""
    return [
        told.id
        for told, full in zip(bare.questions, whole.questions, strict=True)
        for kept, known in zip(told.draws or (told,), full.draws[: len(told.draws)] or (full,), strict=False)
        if not _clean(kept, known)
    ]


def _clean(kept: Question, known: Question) -> bool:
    return kept.explanation is None and kind_of(kept) == kind_of(known).without_key() and kept.prompt == known.prompt
