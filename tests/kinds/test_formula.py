"""Formulas are judged by value: every right spelling is accepted, nothing that differs is, and every error says where."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from formula_samples import HALF_RIGHT, NO_FORMULA, RIGHT, WRONG
from question_samples import FIELDS, ask, said

from grader.kinds.formula import FormulaError, Unreadable, WrongShape
from grader.kinds.formula.grammar import parse
from grader.kinds.formula.judging import PYTHON, Agreement, Masks, Space, agreement, compute, draws, read
from grader.kinds.formula.typed import Scope, Typed
from grader.kinds.formula.values import evaluate, number
from grader.kinds.questions import NotAnAnswer, check_key
from grader.locale import say
from grader.stages.spec import load_quiz

SPACE = Space(
    (
        ("Q", ("n_q", "d_k")),
        ("K", ("n_k", "d_k")),
        ("V", ("n_k", "d_v")),
        ("M", ("n_q", "n_k")),
        ("d_k", ()),
        ("d_v", ()),
    ),
    frozenset({"M"}),
    (("q", "Q"), ("k", "K"), ("v", "V"), ("query", "Q"), ("key", "K"), ("value", "V"), ("mask", "M")),
)
KEY = "softmax(Q K^T/√d_k + M) V"


def why(text: str) -> str:
    with pytest.raises(FormulaError) as caught:
        agreement(text, KEY, SPACE)
    return say(caught.value.why, "en")


def test_there_are_at_least_forty_right_spellings() -> None:
    assert len(set(RIGHT)) >= 40


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_spelling_is_accepted(text: str) -> None:
    assert agreement(text, KEY, SPACE) is Agreement.EQUAL


@pytest.mark.parametrize("text", WRONG)
def test_a_formula_that_differs_by_value_is_not_accepted(text: str) -> None:
    try:
        found = agreement(text, KEY, SPACE)
    except WrongShape:
        return
    assert found in (Agreement.DIFFERENT, Agreement.OTHER_SHAPE, Agreement.TRANSPOSED)


@pytest.mark.parametrize("text", HALF_RIGHT)
def test_what_is_equal_for_blocking_masks_only_is_told_apart(text: str) -> None:
    assert agreement(text, KEY, SPACE) is Agreement.BLOCKING_ONLY


def test_what_is_equal_for_finite_masks_only_is_told_apart() -> None:
    assert agreement("softmax(QK^T/√d_k + 2M - M)V", KEY, SPACE) is Agreement.FINITE_ONLY


@pytest.mark.parametrize("text", NO_FORMULA, ids=range(len(NO_FORMULA)))
def test_what_is_no_formula_is_refused_with_a_short_reason(text: str) -> None:
    question = ask("formula", **FIELDS["formula"])
    try:
        answer = question.parse(text)
    except NotAnAnswer as refusal:
        answer, reason = None, say(refusal.why, "en")
    if answer is None:
        assert 0 < len(reason) < 400
    else:
        assert not question.judge(answer).right  # a formula after all, such as `Q = K`


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sofmax(QK^T)", "column 1: unknown 'sofmax'; did you mean 'softmax'?"),
        ("softmax(QK^T/√d_k+M)W", "column 21: unknown 'W'; the symbols are Q, K, V, M, d_k, d_v"),
        (r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}+M\right)V", "column 54: ')' cannot stand here; possible: '+', '-', '}'"),
        ("softmax(QK^T/√d_k+M V", "the formula ends too early: ')' is missing"),
        ("softmax(QK/√d_k+M)V", "column 10: cannot multiply n_q×d_k by n_k×d_k: the inner axes differ; is a transpose missing?"),
        ("QK^T + V", "column 8: cannot add n_q×n_k and n_k×d_v"),
        ("V/M", "column 3: cannot divide by a matrix (n_q×n_k)"),
        ("softmax(Q @ K.T) * V", "column 20: in Python '*' multiplies element by element, and n_q×n_k and n_k×d_v do not fit; "
                                 "a matrix product is written '@'"),
        ("√(QK^T)", "column 1: only a scalar has its place under a root, this is n_q×n_k"),
        ("d_k^9", "column 1: the exponent 9 is too large; at most 8"),
        ("softmax(d_k)V", "column 1: softmax of a scalar is always 1; it needs the whole row of scores"),
        ("softmax(QK^T, dim=3)V", "column 1: there is no axis 3: n_q×n_k has two, 0 and 1 (or -2 and -1)"),
        ("（Q" * 50, "brackets are nested more than 40 deep"),
        ("Q" * 601, "the formula is 601 characters long; at most 600 are read"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_and_in_which_column(text: str, message: str) -> None:
    assert why(text) == message


def test_sizes_all_differ_in_a_draw_and_change_from_draw_to_draw() -> None:
    shapes = [values["Q"].array.shape + values["V"].array.shape for values in draws(SPACE, Masks.FINITE)]
    assert all(len(set(sizes)) == 4 for sizes in shapes)
    assert len(set(shapes)) > 1


def test_a_blocking_mask_blocks_something_and_leaves_every_row_a_key() -> None:
    for values in draws(SPACE, Masks.BLOCKING):
        allowed = values["M"].array == 0
        assert allowed.any(axis=1).all()
    assert any((values["M"].array < 0).any() for values in draws(SPACE, Masks.BLOCKING))


def test_the_value_is_that_of_numpy() -> None:
    values = draws(SPACE, Masks.FINITE)[0]
    q, k, v, m = (values[name].array for name in "QKVM")
    scores = q @ k.T / np.sqrt(k.shape[1]) + m
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = weights / weights.sum(axis=1, keepdims=True) @ v
    np.testing.assert_allclose(compute(KEY, SPACE, Masks.FINITE)[0].array, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+3*4", 14.0),
        ("2^3^2", None),
        ("2**3**2", None),
        ("2**-1", 0.5),
        ("-2^2", -4.0),
        ("1/2/2", 0.25),
        ("6/2·3", 9.0),
        (r"\frac12", 0.5),
        ("√16", 4.0),
        ("3²", 9.0),
        ("2⁻¹", 0.5),
        ("e", math.e),
        ("2π", 2 * math.pi),
        ("ln(e)", 1.0),
        ("1e-5", 1e-5),
        ("4.5E2", 450.0),
    ],
)
def test_numbers_follow_the_usual_precedence(text: str, value: float | None) -> None:
    if value is None:
        with pytest.raises(FormulaError):
            number(parse(text, ("e", "pi", "π")))
    else:
        assert number(parse(text, ("e", "pi", "π"))) == pytest.approx(value)


def test_a_typical_wrong_formula_is_recognised_in_any_spelling() -> None:
    question = ask("formula", **FIELDS["formula"])
    for text in (
        "softmax(QKᵀ/dₖ + M)V",
        r"\text{softmax}(\frac{QK^\top}{d_k}+M)V",
        "softmax(q @ k.T / d_k + mask) @ v",
    ):
        judgement = question.judge(question.parse(text))
        assert (judgement.fraction, [say(t, "en") for t in judgement.feedback]) == (0.0, ["divided by d_k"])


def test_half_of_the_points_are_for_a_formula_that_scales_the_mask() -> None:
    question = ask("formula", **FIELDS["formula"])
    judgement = question.judge(question.parse("softmax((QK^T + M)/√d_k)V"))
    assert judgement.fraction == 0.5
    assert "0 and −∞" in say(judgement.feedback[0], "en")


def test_a_wrong_shape_is_named_in_axes() -> None:
    question = ask("formula", **FIELDS["formula"])
    judgement = question.judge(question.parse("softmax(QK^T/√d_k + M)"))
    assert say(judgement.feedback[0], "en") == "the shape is not right: got n_q×n_k, expected n_q×d_v"


def test_a_key_that_the_reference_does_not_give_and_typical_ones_that_are_the_same_are_problems() -> None:
    source = {"function": "attention", "arguments": {"query": "Q", "key": "K", "value": "V", "mask": "M"}, "take": [0]}

    def attention(function: str, arguments: dict[str, np.ndarray]) -> tuple[np.ndarray, None]:  # type: ignore[type-arg]
        assert (function, arguments["mask"].dtype) == ("attention", np.bool_)
        scores = arguments["query"] @ arguments["key"].T / np.sqrt(arguments["key"].shape[1])
        powers = np.exp(scores) * arguments["mask"]
        return powers / powers.sum(axis=1, keepdims=True) @ arguments["value"], None

    right = ask("formula", **{**FIELDS["formula"], "computed_by": source})
    assert check_key(right, attention) == []
    unscaled = ask("formula", **{**FIELDS["formula"], "computed_by": source, "key": "softmax(Q K^T + M) V"})
    assert "attention of the reference" in say(check_key(unscaled, attention)[0], "en")
    twice = [{"value": text, "feedback": said("?")} for text in ("softmax(QK^T+M)V", "softmax(M+QK^T)V", "QK", "Q+")]
    problems = [
        say(problem, "en")
        for problem in check_key(ask("formula", **{**FIELDS["formula"], "typical": twice}), attention)
    ]
    assert ["same as another" in problems[0], "cannot be computed" in problems[1], "is not read" in problems[2]] == [
        True
    ] * 3


ALPHABET = "QKVM()[]{}^_/*+-@.,=\\√ᵀ⊤ₖd k12T softmaxsqrt\u200b\x00中'\"⊙∞%：（"


def mutant(text: str, rng: random.Random) -> str:
    """Return a formula with a few characters inserted, deleted, copied in from another one, or repeated."""
    texts = [*RIGHT, *WRONG, *(known[:200] for known in NO_FORMULA)]
    chars = list(text)
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(chars) + 1)
        change = rng.randrange(5)
        if change == 0:
            chars.insert(place, rng.choice(ALPHABET))
        elif change == 1:
            del chars[place : place + 1]
        elif change == 2:
            chars[place:place] = list(rng.choice(texts))[: rng.randint(1, 30)]
        elif change == 3 and len(chars) > 1:
            other = rng.randrange(len(chars))
            chars[place % len(chars)], chars[other] = chars[other], chars[place % len(chars)]
        else:
            chars += chars[place:]
    return "".join(chars)[:700]


def independent_draws() -> list[dict[str, np.ndarray]]:  # type: ignore[type-arg]
    """Matrices that no judging ever sees: other sizes, other numbers, masks of both families."""
    rng = np.random.default_rng(77)
    found = []
    for n_q, n_k, d_k, d_v, blocking in (
        (4, 6, 9, 8, False),
        (10, 3, 5, 7, True),
        (6, 9, 4, 10, False),
        (2, 13, 17, 19, True),
    ):
        mask = np.where(rng.random((n_q, n_k)) < 0.3, -np.inf, 0.0) if blocking else rng.normal(size=(n_q, n_k))
        mask[:, 0] = 0.0
        shapes = {"Q": (n_q, d_k), "K": (n_k, d_k), "V": (n_k, d_v)}
        matrices = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        found.append({**matrices, "M": mask, "d_k": np.float64(d_k), "d_v": np.float64(d_v)})
    return found


INDEPENDENT = independent_draws()
AXES = dict(SPACE.symbols)


def equals_numpy(text: str) -> bool:
    """Whether a formula gives what numpy gives, on draws of our own."""
    python = bool(PYTHON.search(text))
    for drawn in INDEPENDENT:
        scope = Scope(
            {name: Typed(np.asarray(value), AXES[name]) for name, value in drawn.items()}, SPACE.names, python
        )
        scores = drawn["Q"] @ drawn["K"].T / np.sqrt(drawn["d_k"]) + drawn["M"]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected = powers / powers.sum(axis=1, keepdims=True) @ drawn["V"]
        with np.errstate(all="ignore"):
            got = evaluate(read(text, SPACE), scope).array
        if got.shape != expected.shape or not np.allclose(got, expected, rtol=1e-7, atol=1e-10):
            return False
    return True


def check_mutants(text: str, count: int) -> None:
    rng = random.Random(f"{text}{count}")
    for _ in range(count):
        changed = mutant(text, rng)
        try:
            found = agreement(changed, KEY, SPACE)
        except (Unreadable, WrongShape) as refusal:
            found, said_ = None, say(refusal.why, "zh")
        assert found is not None or 0 < len(said_) < 500
        assert found is not Agreement.EQUAL or equals_numpy(changed), changed


@pytest.mark.parametrize("text", RIGHT)
def test_every_spelling_is_what_numpy_gives(text: str) -> None:
    assert equals_numpy(text)


@pytest.mark.parametrize("text", RIGHT)
def test_a_mutated_spelling_is_refused_or_judged_and_only_accepted_when_it_is_equal(text: str) -> None:
    check_mutants(text, 15)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("text", [*RIGHT, *HALF_RIGHT, *WRONG])
def test_a_mutated_spelling_is_refused_or_judged_and_only_accepted_when_it_is_equal_nightly(text: str) -> None:
    check_mutants(text, 500)


def test_most_wrong_formulas_are_answered_by_their_name_or_their_shape() -> None:
    quiz = load_quiz(Path(__file__).parents[2] / "quizzes" / "01_self_test.yaml")
    question = next(q for q in quiz.questions if q.id == "formula").spec
    vague = []
    for text in WRONG:
        judgement = question.judge(question.parse(text))  # type: ignore[attr-defined]
        assert not judgement.right, text
        said_ = " ".join(say(part, "en") for part in judgement.feedback)
        if "is right, the value is not" in said_:
            vague.append(text)
    assert len(vague) <= 0.2 * len(WRONG), vague


PROJECTIONS = Space(
    (
        ("X", ("n", "d_model")),
        ("W_Q", ("d_model", "d_k")),
        ("W_K", ("d_model", "d_k")),
        ("W_V", ("d_model", "d_v")),
        ("d_k", ()),
    ),
    aliases=(("W_q", "W_Q"), ("W_k", "W_K"), ("W_v", "W_V")),
)


@pytest.mark.parametrize(
    ("text", "equal"),
    [
        ("softmax(X W_q (X W_k)ᵀ/√dₖ) X W_v", True),
        (r"\mathrm{softmax}\left(\frac{X W^Q (X W^{K})^\top}{\sqrt{d_k}}\right) X W^V", True),
        (r"\text{softmax}(X W_Q W_K^\top X^\top / \sqrt{d_k}) X W_V", True),
        ("softmax(XW_QW_K^TX^T/√d_k)XW_V", True),
        ("softmax((X @ W_Q) @ (X @ W_K).T / d_k**0.5, dim=-1) @ (X @ W_V)", True),
        ("softmax(XW^KW_Q^TX^T/√d_k)XW_V", False),
        ("softmax(X X^T/√d_k) X W_V", False),
    ],
)
def test_projections_are_read_as_papers_write_them(text: str, equal: bool) -> None:
    found = agreement(text, "softmax(X W_Q (X W_K)^T/√d_k) X W_V", PROJECTIONS)
    assert (found is Agreement.EQUAL) is equal
