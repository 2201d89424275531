"""What questions can do beside judging: predict code, explain broadcasting, name mistakes, vary, and read well in a terminal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from question_samples import FIELDS, ask, said

from grader.kinds.drawn import Drawn, Varies, filled, written
from grader.kinds.formula.readable import readable
from grader.kinds.questions import Judgement, NoSuchCall, NotAnAnswer, check_key
from grader.kinds.questions.broadcasting import broadcast
from grader.locale import say
from grader.model import message


def judged(kind: str, raw: Any, **changes: Any) -> Judgement:
    question = ask(kind, **{**FIELDS[kind], **changes})
    return question.judge(question.parse(raw))


def told(judgement: Judgement, lang: str = "en") -> str:
    return " ".join(say(text, lang) for text in judgement.feedback)


# ---------------------------------------------------------------- predict

RAISES = {"code": "torch.zeros(2, 3) @ torch.zeros(2, 3)", "asks": "shape", "error": "RuntimeError", "typical": []}


def raising(raw: Any) -> Judgement:
    question = ask("predict", **RAISES)
    return question.judge(question.parse(raw))


def test_a_prediction_is_a_shape_or_an_error() -> None:
    assert judged("predict", "(2, 2)").right
    assert told(judged("predict", [5, 5])) == "that is x.T @ x"
    assert told(judged("predict", "RuntimeError")) == "the inner axes are both 5"
    assert "every line of it runs" in told(judged("predict", "error", typical=[]))


@pytest.mark.parametrize(
    "raw", ["error", "Error", "raises RuntimeError", "a RuntimeError", "报错", "抛出 RuntimeError", "`RuntimeError`"]
)
def test_an_error_is_predicted_in_many_words(raw: str) -> None:
    assert raising(raw).right


def test_another_class_of_error_earns_half_and_a_shape_nothing() -> None:
    assert raising("ValueError").fraction == 0.5
    assert "RuntimeError and not ValueError" in told(raising("ValueError"))
    assert raising([2, 2]).fraction == 0.0
    assert "cannot run" in told(raising([2, 2]))


def test_values_are_predicted_cell_by_cell() -> None:
    fields = {"code": "torch.tensor([1.0, 2.0])", "asks": "values", "key": [1, 2], "typical": []}
    question = ask("predict", **fields)
    assert question.judge(question.parse("1, 2")).right
    assert question.judge(question.parse([1, 3])).fraction == 0.5
    with pytest.raises(NotAnAnswer):
        question.parse("")


def test_code_cannot_both_return_and_raise() -> None:
    with pytest.raises(ValidationError, match="not both"):
        ask("predict", **{**RAISES, "key": [2, 2]})


# ---------------------------------------------------------------- shapes and tables


def test_a_wrong_shape_is_told_how_axes_broadcast() -> None:
    fields = {"key": [4, 3, 5, 7], "broadcast": [[4, 1], [3]]}
    question = ask("shape", **fields)
    said_ = told(question.judge(question.parse([4, 1, 5, 7])))
    assert "1, 3 → 3; 4, 1 → 4" in said_
    assert check_key(question, no_reference) == []
    wrong = ask("shape", key=[3, 4, 5, 7], broadcast=[[4, 1], [3]])
    assert "broadcast gives" in say(check_key(wrong, no_reference)[0], "en")


@pytest.mark.parametrize(
    ("operands", "together"),
    [
        ([["B", 1], ["h"]], ("B", "h")),
        ([[2, 1, 4], [3, 1]], ("2", "3", "4")),
        ([[2], [3]], None),
        ([[], [5]], ("5",)),
        ([["B", 1, 1, "n"], [1, 1, 1]], ("B", "1", "1", "n")),
    ],
)
def test_axes_broadcast_from_the_right(operands: Any, together: Any) -> None:
    assert broadcast(operands) == together


def test_rows_that_were_not_normalised_and_tables_lying_on_their_side_are_told() -> None:
    key = [[0.25, 0.75], [0.5, 0.5]]
    assert "do not add up to 1" in told(judged("numbers", [[1, 3], [2, 2]], key=key, cells=None, typical=[]))
    tall = {"key": [[1, 2, 3], [4, 5, 6]], "cells": None, "typical": []}
    assert "transposition" in told(judged("numbers", [[1, 4], [2, 5], [3, 6]], **tall))


# ---------------------------------------------------------------- mistakes of the reference


def no_reference(function: str, arguments: Any, mistake: str | None = None) -> Any:
    raise AssertionError("nothing here asks the reference")


def halves(function: str, arguments: Any, mistake: str | None = None) -> Any:
    if mistake not in (None, "unscaled"):
        raise NoSuchCall(message("the reference has no mistake {name}", name=mistake))
    return arguments["x"] if mistake else arguments["x"] / 2


COMPUTED = {"function": "half", "arguments": {"x": {"floats": [2, 4]}}}


def test_a_typical_value_is_held_against_the_mistake_that_it_names() -> None:
    def question(value: list[float], mistake: str = "unscaled") -> Any:
        typical = [{"value": value, "mistake": mistake, "feedback": said("not halved")}]
        return ask("numbers", key=[1, 2], computed_by=COMPUTED, typical=typical)

    assert check_key(question([2, 4]), halves) == []
    assert "unscaled gives [2.0, 4.0], not [2.0, 5.0]" in say(check_key(question([2, 5]), halves)[0], "en")
    assert "no mistake unknown" in say(check_key(question([2, 4], "unknown"), halves)[0], "en")
    with pytest.raises(ValidationError, match="needs a value"):
        ask("numbers", key=[1, 2], typical=[{"mistake": "unscaled", "feedback": said("?")}])


def test_arguments_of_every_form_reach_the_reference() -> None:
    seen: dict[str, Any] = {}

    def look(function: str, arguments: Any, mistake: str | None = None) -> Any:
        seen.update(arguments)
        return 1.0

    arguments = {
        "a": [2, 5],
        "b": [[2, 5]],
        "c": {"ints": [1, 2]},
        "d": {"bools": [True, False]},
        "e": 3,
        "f": {"floats": [1]},
    }
    assert check_key(ask("number", key=1, computed_by={"function": "f", "arguments": arguments}), look) == []
    assert (seen["a"], seen["e"]) == ((2, 5), 3)
    assert [(seen[n].dtype, seen[n].shape) for n in "bcdf"] == [
        (np.float64, (1, 2)), (np.int64, (2,)), (np.bool_, (2,)), (np.float64, (1,)),
    ]  # fmt: skip


# ---------------------------------------------------------------- numbers that vary


def test_values_are_drawn_from_their_ranges_and_from_one_another() -> None:
    varies = Varies.model_validate(
        {
            "values": {
                "h": {"one_of": [2, 4]},
                "w": {"whole": [3, 5]},
                "d": {"of": "{h} · {w}"},
                "v": {"whole": [-4, 4], "shape": [2, 2]},
            }
        },
        strict=False,
    )
    for seed in range(50):
        values = varies.draw(np.random.default_rng(seed))
        assert values is not None
        assert values["h"] in (2, 4)
        assert 3 <= values["w"] <= 5
        assert values["d"] == values["h"] * values["w"]
        cells = [x for row in values["v"] for x in row]
        assert len(set(cells)) == 4
        assert all(isinstance(x, int) and -4 <= x <= 4 for x in cells)


def test_a_draw_is_the_same_wherever_it_is_drawn() -> None:
    varies = Varies.model_validate({"values": {"n": {"whole": [0, 10**6]}}}, strict=False)
    assert varies.draw(np.random.default_rng([1, 2])) == {"n": 643261}


def test_values_that_must_differ_do_and_none_is_found_where_they_cannot() -> None:
    ranges = {"a": {"whole": [1, 3]}, "b": {"whole": [1, 3]}}
    varies = Varies.model_validate({"values": ranges, "different": [["a", "b"]]}, strict=False)
    for seed in range(30):
        values = varies.draw(np.random.default_rng(seed))
        assert values is not None and values["a"] != values["b"]
    alike = {"a": {"one_of": [1, 1]}, "b": {"one_of": [1, 1]}}
    assert (
        Varies.model_validate({"values": alike, "different": [["a", "b"]]}, strict=False).draw(np.random.default_rng(0))
        is None
    )


def test_a_key_is_fair_when_it_is_neither_saturated_nor_a_tie() -> None:
    varies = Varies.model_validate(
        {"values": {"n": {"whole": [1, 2]}}, "least": 0.05, "most": 0.9, "apart": 0.02}, strict=False
    )
    assert varies.fair([0.2, 0.3, 0.5])
    assert not varies.fair([0.01, 0.09, 0.9])
    assert not varies.fair([0.95, 0.05])
    assert not varies.fair([0.5, 0.49])


@pytest.mark.parametrize(
    "fields", [{}, {"whole": [1, 2], "of": "3"}, {"whole": [1, 2], "shape": [4]}, {"whole": [1]}, {"one_of": [1]}]
)
def test_a_value_that_cannot_be_drawn_is_an_authors_error(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Drawn.model_validate(fields, strict=False)


def test_values_are_filled_in_as_themselves_or_written_out() -> None:
    values = {"n": -3, "v": [1, -2.5], "m": [[1, 2], [3, 4]]}
    raw = {"key": "{n}", "a": ["{v}"], "text": {"en": "n = {n}, v = {v}; {other}", "zh": "{n}"}, "m": "2·{n} + {m}"}
    assert filled(raw, values) == {
        "key": -3,
        "a": [[1, -2.5]],
        "text": {"en": "n = −3, v = (1, −2.5); {other}", "zh": "−3"},
        "m": "2·-3 + ((1, 2), (3, 4))",
    }
    assert written(0.1 + 0.2) == "0.3"


# ---------------------------------------------------------------- formulas in a terminal


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"$\frac{QK^\top}{\sqrt{d_k}}$", "QKᵀ/√d_k"),
        (r"$$\text{softmax}\!\left(\frac{QK^T}{\sqrt{d_k}}+M\right)V$$", "softmax(QKᵀ/√d_k+M)V"),
        (r"the norm $|q|$ and $x_i \le \infty$", "the norm |q| and x_i ≤ ∞"),
        (r"$O(N^2 \cdot d)$", "O(N² · d)"),
        (r"$10000^{2i/d}$", "10000^(2i/d)"),
        (r"$\sqrt{\frac{a+b}{c}}$", "√((a+b)/c)"),
        (r"$W^Q$, $\alpha\times\beta$", "W^Q, α×β"),
        (r"$\unknown{x}$", r"\unknown{x}"),
        (r"costs \$5 or 6 $", r"costs \$5 or 6 $"),
        ("$" * 5000, "$" * 5000),
    ],
)  # fmt: skip
def test_latex_reads_well_as_unicode(latex: str, shown: str) -> None:
    assert readable(latex) == shown
