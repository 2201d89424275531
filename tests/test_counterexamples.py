"""Answers that once got more, or less, or something else than they deserve. On the real road."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.lazily import mistakes_lazily, open_course_lazily
from grader.grade import Settings, grade_exercise
from grader.locale import say
from grader.model import Submission, Verdict
from grader.stages.sandbox import Sandbox, open_sandbox

ROOT = Path(__file__).parent.parent
RIGHT_FUNCTION = (Path(__file__).parent / "submissions/right/attention/textbook.py").read_text()
RIGHT_MODULE = (Path(__file__).parent / "submissions/right/causal_self_attention/built_in_kernel.py").read_text()


@pytest.fixture(scope="module")
def course():
    return open_course_lazily(ROOT)


@pytest.fixture(scope="module")
def sandbox(course) -> Iterator[Sandbox]:
    with open_sandbox("best", preload=course.preload, warm=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def graded(course, sandbox, tmp_path_factory):
    settings = Settings(ROOT, mistakes_lazily(ROOT), cache=tmp_path_factory.mktemp("expected"))

    def grade(slug, source):
        return grade_exercise(
            course.exercises[slug], Submission(f"{slug}.py", slug, source.encode()), settings, sandbox
        )

    return grade


@pytest.mark.parametrize("slug", ["five_steps", "kv_cache_step", "masked_softmax", "to_additive"])
def test_a_starter_is_told_no_mistake(slug, course, graded):
    from grader.course.workspace import starter

    result = graded(slug, starter(course.exercises[slug], "en"))
    assert (result.score, result.diagnoses) == (0, ())


def test_a_complex_result_is_no_float_one(graded):
    source = "import torch\n\ndef sinusoidal_encoding(n, d, base=10000.0):\n    return torch.zeros(n, d, dtype=torch.complex64)\n"
    result = graded("sinusoidal_encoding", source)
    assert {o.check for o in result.outcomes if o.verdict is Verdict.FAILED and not o.hidden} == {"dtype"}


def test_one_case_by_heart_does_not_unlock_exceptions(graded):
    source = """
def output_shapes(q_shape, k_shape, v_shape):
    if q_shape == (2, 7, 12) and v_shape == (2, 7, 12):
        return (2, 7, 7), (2, 7, 7), (2, 7, 12)
    raise ValueError
"""
    result = graded("output_shapes", source)
    assert result.score < 1  # the cases known by heart, and no more


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("dropout=0.0):", "dropout=0.9):", "with no rate given, numbers are still dropped"),
        ("dropout_p=self.p if", "dropout_p=0.1 if", "with a rate of 0, numbers are still dropped"),
        (
            '        mask = torch.tril(torch.ones(max_len, max_len, dtype=torch.bool))\n        self.register_buffer("mask", '
            "mask.view(1, 1, max_len, max_len), persistent=False)\n",
            "",
            "the module has no buffer",
        ),
    ],
)
def test_a_module_that_is_wrong_in_training_or_make_is_not_right(old, new, told, graded):
    assert old in RIGHT_MODULE
    result = graded("causal_self_attention", RIGHT_MODULE.replace(old, new))
    assert result.score < result.max_score
    assert any(told in say(o.message, "en") for o in result.outcomes if o.message)


def test_a_further_buffer_of_numbers_is_free(graded):
    source = RIGHT_MODULE.replace(
        "        mask = torch.tril(",
        '        self.register_buffer("scale", torch.tensor(0.5))\n        mask = torch.tril(',
    )
    result = graded("causal_self_attention", source)
    assert (result.verdict, result.diagnoses) == (Verdict.PASSED, ())


@pytest.mark.parametrize(
    "odd", ["{'\\ud800': 1}", "__import__('torch').empty(0, 2**62)", "__import__('torch').empty(0, 2**29)"]
)
def test_one_odd_result_costs_its_own_case_alone(odd, graded):
    source = f"def scale_scores(scores, d_k):\n    if d_k == 512:\n        return {odd}\n    return scores / d_k**0.5\n"
    result = graded("scale_scores", source)
    assert 0 < result.score < result.max_score
    assert result.verdict is Verdict.FAILED


def test_code_without_line_numbers_still_says_what_it_raised(graded):
    source = """
def inner(scores, d_k):
    return 1 / 0

def scale_scores(scores, d_k):
    return inner(scores, d_k)

inner.__code__ = inner.__code__.replace(co_linetable=b"") if hasattr(inner.__code__, "co_linetable") else inner.__code__
"""
    result = graded("scale_scores", source)
    assert result.verdict is Verdict.ERRORED
    assert any("ZeroDivisionError" in say(o.message, "en") for o in result.outcomes if o.message)


@pytest.mark.parametrize(
    "first",
    [
        "torch.set_num_threads(4)",
        "torch.set_grad_enabled(False)",
        "torch.use_deterministic_algorithms(True)",
        "attention = torch.compile(attention)",
        "attention = torch.compile(mode='max-autotune')(attention)",
    ],
)
def test_a_setting_that_changes_no_value_costs_nothing(first, graded):
    assert graded("attention", f"{RIGHT_FUNCTION}\n\n{first}\n").verdict is Verdict.PASSED
