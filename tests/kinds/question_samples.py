"""One question of each kind, with everything that its kind can say: what the tests of question kinds share."""

from __future__ import annotations

import json
from typing import Any

from grader.kinds.questions import QUESTIONS, Asked


def said(text: str) -> dict[str, str]:
    """Return an author's text."""
    return {"en": text, "zh": f"（{text}）"}


def option(text: str, feedback: str | None = None) -> dict[str, Any]:
    """Return an option as a quiz file has it."""
    return {"text": said(text), **({"feedback": said(feedback)} if feedback else {})}


def ask(kind: str, **fields: Any) -> Asked:
    """Return the question that these YAML keys make."""
    return QUESTIONS.find(kind).model_validate_json(json.dumps(fields))


SYMBOLS = {"Q": ["n_q", "d_k"], "K": ["n_k", "d_k"], "V": ["n_k", "d_v"], "M": ["n_q", "n_k"], "d_k": [], "d_v": []}

FIELDS: dict[str, dict[str, Any]] = {
    "choice": {"options": {"a": option("before"), "b": option("after", "too late")}, "key": "a"},
    "choices": {
        "options": {"a": option("one"), "b": option("two"), "c": option("three", "no"), "d": option("four", "never")},
        "key": ["a", "b"],
    },
    "true_false": {
        "key": False,
        "feedback": said("rows, not columns"),
        "reasons": {"a": option("softmax runs along rows"), "b": option("there is no softmax", "there is")},
        "reason": "a",
    },
    "number": {"key": "1/√2", "digits": 4, "typical": [{"value": 0.5, "feedback": said("divided by d_k")}]},
    "numbers": {
        "key": [0.7071, 0, -0.7071],
        "cells": [3],
        "typical": [{"value": [1, 0, -1], "feedback": said("not scaled")}],
    },
    "shape": {
        "symbols": ["B", "h", "n", "d_model", "d_k"],
        "where": {"d_k": "d_model/h"},
        "aliases": {"H": "h"},
        "key": ["B", "h", "n", "d_k"],
        "typical": [{"value": ["B", "n", "h", "d_k"], "feedback": said("before the transpose")}],
    },
    "formula": {
        "symbols": SYMBOLS,
        "masks": ["M"],
        "aliases": {"q": "Q", "k": "K", "v": "V", "mask": "M"},
        "key": "softmax(Q K^T/√d_k + M) V",
        "typical": [{"value": "softmax(Q K^T/d_k + M) V", "feedback": said("divided by d_k")}],
    },
    "order": {
        "items": {"a": "softmax", "b": "mask", "c": "score", "d": "scale"},
        "key": ["c", "d", "b", "a"],
        "also": [{"order": ["c", "b", "d", "a"], "feedback": said("fine when the mask is 0 and −∞")}],
        "violations": [{"early": "b", "late": "a", "feedback": said("mask before softmax")}],
    },
    "match": {
        "left": {"q": "query", "k": "key", "v": "value"},
        "right": {"1": "question", "2": "index", "3": "content"},
        "key": {"q": "1", "k": "2", "v": "3"},
        "feedback": {"q": said("it asks"), "k": said("it is found"), "v": said("it is returned")},
    },
    "line": {
        "code": "scores = q @ k.T\nweights = scores.softmax(0)\nreturn weights @ v\n",
        "key": 2,
        "reasons": {"a": option("the wrong axis"), "b": option("not scaled", "true, but not in this line")},
        "reason": "a",
        "typical": [{"value": 1, "feedback": said("the transpose is right")}],
    },
    "predict": {
        "code": "x = torch.zeros(2, 5)\n(x @ x.T).shape",
        "asks": "shape",
        "key": [2, 2],
        "typical": [
            {"value": [5, 5], "feedback": said("that is x.T @ x")},
            {"value": "error", "feedback": said("the inner axes are both 5")},
        ],
    },
    "text": {"rubric": [said("says before")], "model_answer": said("Before, because …")},
}
