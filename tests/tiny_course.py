"""A course of two exercises and a quiz, made of nouns alone: for tests that need a course and no files of one."""

from __future__ import annotations

from grader.model import Case, Course, Exercise, Module, Parameter, Question, Quiz, Signature


def exercise(slug: str, points: float = 2.0) -> Exercise:
    """Return an exercise whose function takes `x` and an optional `mask`."""
    return Exercise(
        slug=slug,
        title={"en": f"Title of {slug}", "zh": f"{slug} 的标题"},
        points=points,
        prompt={"en": "Return `x` as it is.\n\nNothing else.", "zh": "原样返回 `x`。"},
        signature=Signature(slug, (Parameter("x"), Parameter("mask", "None"))),
        reference=slug,
        inputs={},
        returns={"": ("T", "D")},
        cases=(Case("one row", {"T": 1, "D": 2}), Case("many rows", {"T": 5, "D": 3}, hidden=True)),
        checks=(),
        catches=(),
        hints=({"en": "First hint.", "zh": "第一条提示。"}, {"en": "Second hint.", "zh": "第二条提示。"}),
    )


def course() -> Course:
    """Return the course: `alpha` and `beta`, then the quiz `recall`."""
    question = Question("q1", 3.0, {"en": "Why?", "zh": "为什么？"}, spec=object())  # type: ignore[arg-type]
    quiz = Quiz("recall", {"en": "Recall", "zh": "回顾"}, {"en": "Answer.", "zh": "请作答。"}, (question,))
    module = Module({"en": "Basics", "zh": "基础"}, ("alpha", "beta"), ("recall",))
    exercises = {slug: exercise(slug) for slug in ("alpha", "beta")}
    return Course("", {"en": "Small", "zh": "小课程"}, (module,), (), exercises, {"recall": quiz})
