"""Exercise files: the sample of the design loads, and each fault is named at its place, all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.model import AuthorError, Exercise, Parameter
from grader.stages.spec import load_exercise

GOOD = """\
# yaml-language-server: $schema=../schemas/exercise.schema.json
title: {en: Causal attention, zh: 因果注意力}
points: 10
prompt:
  en: |
    Let position t attend only to positions 0…t. Return softmax(q kᵀ / √D, masked) v.
  zh: |
    …
signature: causal_attention(q, k, v)
reference: causal_attention          # a function of reference_impl
inputs:                              # kind: [axes]
  q: {normal: [B, H, T, D]}
  k: {normal: [B, H, T, D]}
  v: {normal: [B, H, T, E]}
returns: [B, H, T, E]
cases:
  - {name: one head, B: 1, H: 1, T: 4, D: 8, E: 3}
  - {name: two heads, B: 3, H: 2, T: 5, D: 7, E: 6}
  - {name: long, B: 2, H: 3, T: 31, D: 8, E: 5, hidden: true}
checks: [shape, dtype, finite, values, no_future_leak, inputs_unchanged, gradients, low_precision]
catches: [unscaled, divided_by_d_k, softmax_over_queries, mask_ignored, mask_inverted, mask_after_softmax, diagonal_masked,
  one_step_too_far]
hints: [{en: …, zh: …}]
"""

SMALL = """\
title: {en: Small, zh: 小}
points: 1
prompt: {en: Do it., zh: 做吧。}
signature: small(x, n=None)
reference: small
inputs:
  x: {normal: [T, D], scale: 40}
  n: {size: N}
returns: [T, D]
cases:
  - {name: one, T: 2, D: 3, N: 4}
  - {name: two, T: [2, 5], D: 3, N: 9, omit: [n], weight: 2}
checks: [shape, {no_future_leak: {axis: T}}]
"""

Load = Callable[..., Exercise]
Faults = Callable[..., list[str]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def written(text: str, name: str = "01_small.yaml", mistakes: list[str] | None = None) -> Exercise:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return load_exercise(path, "f.yaml", mistakes=mistakes)

    return written


@pytest.fixture
def faults(load: Load) -> Faults:
    """Replace a part of SMALL and return what is said, without the name of the file."""

    def said(old: str, new: str, mistakes: list[str] | None = None) -> list[str]:
        assert SMALL.count(old) == 1, "the part to replace must be there once"
        with pytest.raises(AuthorError) as caught:
            load(SMALL.replace(old, new), mistakes=mistakes)
        return [problem.removeprefix("f.yaml:") for problem in caught.value.problems]

    return said


def test_the_sample_of_the_design_loads(load: Load) -> None:
    exercise = load(GOOD, "12_causal_attention.yaml")
    assert exercise.slug == "causal_attention"
    assert str(exercise.signature) == "causal_attention(q, k, v)"
    assert exercise.returns == {"": ("B", "H", "T", "E")}
    assert [case.name for case in exercise.cases if case.hidden] == ["long"]
    assert [check.word for check in exercise.checks][4] == "no_future_leak"
    assert exercise.catches[0] == ("unscaled",)
    assert exercise.file == "f.yaml"


def test_every_key_reaches_the_noun(load: Load) -> None:
    extra = "limits: {call_seconds: 1.5, memory_mb: 512}\ncatches: [a, [b, c]]\n"
    exercise = load(SMALL + extra, mistakes=["a", "b", "c"])
    assert exercise.signature.parameters == (Parameter("x"), Parameter("n", "None"))
    assert exercise.inputs["x"].axes == ("T", "D")
    assert exercise.inputs["x"].scale == 40.0  # type: ignore[attr-defined]
    assert exercise.cases[1].sizes == {"T": (2, 5), "D": 3, "N": 9}
    assert exercise.cases[1].omit == {"n"}
    assert exercise.cases[1].weight == 2.0
    assert exercise.limits.call_seconds == 1.5
    assert exercise.limits.memory_mb == 512
    assert exercise.limits.total_seconds == 60.0
    assert exercise.catches == (("a",), ("b", "c"))


@pytest.mark.parametrize(
    ("written", "returns"),
    [
        ("[]", {"": ()}),
        ("[T, 1, D]", {"": ("T", 1, "D")}),
        ("sizes", {"": "sizes"}),
        ("{output: [T, D], weights: sizes}", {"output": ("T", "D"), "weights": "sizes"}),
    ],
)
def test_results_come_in_several_forms(load: Load, written: str, returns: object) -> None:
    exercise = load(SMALL.replace("returns: [T, D]", f"returns: {written}"))
    assert exercise.returns == returns
    assert exercise.many_results == ("output" in written)


def test_a_case_may_replace_inputs_and_so_drop_an_axis_of_the_result(load: Load) -> None:
    more = "  - {name: row, D: 3, N: 4, inputs: {x: {normal: [D]}}}\nchecks"
    case = load(SMALL.replace("checks", more)).cases[-1]
    assert case.inputs["x"].axes == ("D",)
    assert case.sizes == {"D": 3, "N": 4}


@pytest.mark.parametrize(
    ("inputs", "returns", "numbers"),
    [
        ("{normal: [T, 4096, D]}", "[T]", 4096 * 4096 * 5 + 4097),  # at the largest size that may be drawn
        ("{normal: [T]}", "[T, T, D]", 4096 * 4096 * 5 + 4097),  # results alone
        ("{normal: [T]}", "{one: [T, T, 3], other: [T, T, 2]}", 4096 * 4096 * 5 + 4097),
        ("{normal: [T]}", "[T, T, 3]", None),
        ("{shape: [T, T, D]}", "[T, D]", None),  # sizes, which are not drawn
    ],
)
def test_a_case_holds_no_more_numbers_than_fit(load: Load, inputs: str, returns: str, numbers: int | None) -> None:
    text = SMALL.replace("{normal: [T, D], scale: 40}", inputs).replace("returns: [T, D]", f"returns: {returns}")
    text = text.replace("T: 2, D: 3", "T: 4096, D: [3, 5]")
    told = f"11:5: cases[0]: the inputs and results of this case hold {numbers} numbers: at most 67108864"
    found: list[str] = []
    try:
        load(text)
    except AuthorError as error:
        found += [problem.removeprefix("f.yaml:") for problem in error.problems if "numbers" in problem]
    assert found == ([told] if numbers else [])


def test_an_axis_that_only_some_cases_have_is_needed_only_there(load: Load) -> None:
    text = SMALL.replace("returns: [T, D]", "returns: [B, T, D]")
    more = "  - {name: batch, B: 2, T: 3, D: 4, N: 5, inputs: {x: {normal: [B, T, D]}}}\nchecks"
    assert [set(case.sizes) for case in load(text.replace("checks", more)).cases][1:] == [set("TDN"), set("BTDN")]


def test_a_case_may_have_its_name_in_each_language(load: Load) -> None:
    first, second = load(SMALL.replace("{name: one,", "{name: {en: one, zh: 一},")).cases
    assert (first.name, first.shown, second.shown) == ("one", {"en": "one", "zh": "一"}, "two")


def test_a_case_that_raises_needs_no_sizes_of_the_result(load: Load) -> None:
    more = "  - {name: bad, D: 3, T: 1, N: 4, raises: ValueError, inputs: {x: {normal: [D]}}}\nchecks"
    assert load(SMALL.replace("checks", more)).cases[-1].raises == "ValueError"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("title:", "titel:", ["1:1: title: this key is missing", "1:1: titel: unknown key — did you mean `title`?"]),
        (
            "title: {en: Small, zh: 小}",
            "title: Small",
            ["1:8: title: got 'Small', expected a text in each language: `{en: …, zh: …}`"],
        ),
        ("title: {en: Small, zh: 小}", "title: {en: Small}", ["1:8: title: the text in zh is missing"]),
        ("title: {en: Small, zh: 小}", "title: {en: Small, zh: ' '}", ["1:8: title: the text in zh is missing"]),
        (
            "title: {en: Small, zh: 小}",
            "title: {en: Small, zhh: 小}",
            ["1:20: title.zhh: unknown key; a text has the keys en and zh — did you mean `zh`?"],
        ),
        ("title: {en: Small, zh: 小}", "title: {en: 3, zh: 小}", ["1:13: title.en: got 3, expected text"]),
        ("points: 1", "points: -1", ["2:9: points: got -1, expected at least 0"]),
        ("points: 1", "points: 1e6", ["2:9: points: got 1000000.0, expected at most 10000"]),
        ("points: 1", "points: .inf", ["2:9: points: got inf, expected a finite number"]),
        ("points: 1", "points: '1'", ["2:9: points: got '1', expected a number"]),
        ("points: 1", "points: true", ["2:9: points: got true, expected a number"]),
        ("points: 1", "points:", ["2:8: points: got nothing, expected a number"]),
        (
            "signature: small(x, n=None)",
            "signature: ''",
            [
                "4:12: signature: got '', expected text that is not empty",
                "4:12: signature: this is no signature: expected something like `attention(query, key, value, mask=None)`",
            ],
        ),
        (
            "signature: small(x, n=None)",
            "signature: large(x, n=None)",
            ["4:12: signature: got the function `large`, expected `small`, as the file is named"],
        ),
        (
            "reference: small",
            "reference: a b",
            ["5:12: reference: got 'a b', expected a name of letters, digits and `_`"],
        ),
        ("  x: {normal", "  x: {norml", ["7:7: inputs.x.norml: unknown word `norml` — did you mean `normal`?"]),
        (
            "  x: {normal: [T, D], scale: 40}",
            "  x: {}",
            ["7:6: inputs.x: expected a word with its value, such as `{normal: [B, T, D]}`"],
        ),
        ("  x: {normal: [T, D], scale: 40}", "  x: normal", ["7:6: inputs.x: got 'normal', expected keys with values"]),
        ("scale: 40", "scal: 40", ["7:23: inputs.x.scal: unknown key — did you mean `scale`?"]),
        ("scale: 40", "scale: big", ["7:30: inputs.x.scale: got 'big', expected a number"]),
        (
            "normal: [T, D]",
            "normal: [T, D!]",
            [
                "7:19: inputs.x.normal[1]: got 'D!', expected an axis: a name, or a product or sum of names such as `H*K`"
            ],
        ),
        ("normal: [T, D]", "normal: T", ["7:15: inputs.x.normal: got 'T', expected a list"]),
        (
            "  x: {normal",
            "  xx: {normal",
            [
                "6:1: inputs: the parameter `x` has no input",
                "7:3: inputs.xx: `small(x, n=None)` has no such parameter — did you mean `x`?",
            ],
        ),
        ("returns: [T, D]", "returns: {}", ["9:10: returns: got keys with values, expected at least 1 of them"]),
        ("returns: [T, D]", "returns: [T, 0]", ["9:14: returns[1]: got 0, expected at least 1"]),
        (
            "returns: [T, D]",
            "returns: size",
            ["9:10: returns: got 'size', expected one of 'sizes' — did you mean `sizes`?"],
        ),
        ("name: one", "name: two", ["12:12: cases[1].name: a case named `two` is there already"]),
        ("name: one", "name: ''", ["11:12: cases[0].name: got '', expected text that is not empty"]),
        (
            "name: one, T: 2",
            "name: one, hidden: yes, T: 2",
            ["11:25: cases[0].hidden: got 'yes', expected true or false"],
        ),
        (
            "name: one, T: 2",
            "name: one, hiden: true, T: 2",
            [
                "11:17: cases[0].hiden: unknown key: neither an axis of this exercise nor a key of a case — did you mean `hidden`?"
            ],
        ),
        ("name: one, T: 2", "name: one", ["11:5: cases[0]: the axis `T` has no size in this case"]),
        (
            "name: one, T: 2",
            "name: one, T: 0",
            ["11:20: cases[0].T: got 0, expected a size from 1 to 4096, or [low, high]"],
        ),
        (
            "name: one, T: 2",
            "name: one, T: true",
            ["11:20: cases[0].T: got true, expected a size from 1 to 4096, or [low, high]"],
        ),
        (
            "T: [2, 5]",
            "T: [5, 2]",
            ["12:20: cases[1].T: got a list of 2, expected a size from 1 to 4096, or [low, high]"],
        ),
        ("weight: 2", "weight: 0", ["12:59: cases[1].weight: got 0, expected more than 0"]),
        ("omit: [n]", "omit: [m]", ["12:47: cases[1].omit[0]: `small(x, n=None)` has no parameter `m`"]),
        ("omit: [n]", "omit: [x]", ["12:47: cases[1].omit[0]: `x` has no default and cannot be omitted"]),
        (
            "omit: [n]",
            "omit: [n], inputs: {n: {size: T}}",
            ["12:47: cases[1].omit[0]: `n` is both omitted and replaced"],
        ),
        (
            "omit: [n]",
            "raises: ValueErorr",
            ["12:48: cases[1].raises: `ValueErorr` is no exception of Python — did you mean `ValueError`?"],
        ),
        (
            "omit: [n]",
            "inputs: {y: {size: T}}",
            ["12:49: cases[1].inputs.y: the exercise has no such input to replace"],
        ),
        ("omit: [n]", "inputs: {x: {normal: [D]}}", ["12:17: cases[1].T: no input of this case has the axis `T`"]),
        ("checks: [shape,", "checks: [shap,", ["13:10: checks[0]: unknown word `shap` — did you mean `shape`?"]),
        ("checks: [shape,", "checks: [7,", ["13:10: checks[0]: got 7, expected a word, or one word with its options"]),
        ("checks: [shape,", "checks: [shape, shape,", ["13:17: checks[1]: the check `shape` is there twice"]),
        ("{axis: T}", "{axi: T}", ["13:35: checks[1].no_future_leak.axi: unknown key — did you mean `axis`?"]),
        (
            "{axis: T}",
            "{axis: TT}",
            [
                "13:41: checks[1].no_future_leak.axis: the check `no_future_leak` needs the axis `TT`, "
                "which is not there — did you mean `T`?"
            ],
        ),
        (
            "{no_future_leak: {axis: T}}",
            "batch_independence",
            [
                "13:17: checks[1].batch_independence.axis: the check `batch_independence` needs the axis `B`, which is not there"
            ],
        ),
    ],
)
def test_a_fault_is_named_at_its_place(faults: Faults, old: str, new: str, expected: list[str]) -> None:
    assert faults(old, new) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("{en: one}", "cases[0].name: the text in zh is missing"),
        ("{en: one, zh: 一, cn: 一}", "unknown key; a text has the keys en and zh"),
        ("7", "cases[0].name: got 7, expected"),
        ("{en: two, zh: 一}", "cases[1].name: a case named `two` is there already"),
    ],
)
def test_what_is_wrong_with_the_name_of_a_case_is_told(faults: Faults, name: str, told: str) -> None:
    assert any(told in line for line in faults("name: one", f"name: {name}"))


def test_an_unknown_word_without_a_near_one_lists_the_words(faults: Faults) -> None:
    [fault] = faults("  x: {normal", "  x: {qqqq")
    assert fault.startswith("7:7: inputs.x.qqqq: unknown word `qqqq`; the words are ")
    assert "normal" in fault


def test_an_argument_that_is_never_passed_cannot_be_omitted(load: Load) -> None:
    text = SMALL.replace("small(x, n=None)", "small(x, n=None, m=1)").replace("omit: [n]", "omit: [m]")
    with pytest.raises(AuthorError, match="`m` has no input: it is never passed"):
        load(text)


@pytest.mark.parametrize(
    ("catches", "mistakes", "expected"),
    [
        (
            "[unscald]",
            ["unscaled"],
            "14:11: catches[0]: reference_impl/mistakes.yaml has no `unscald` — did you mean `unscaled`?",
        ),
        ("[a, [b, a]]", ["a", "b"], "14:18: catches[1][1]: `a` is there twice"),
        ("[a, b]", [], "14:10: catches: the course has no reference_impl/mistakes.yaml"),
        ("[[a]]", ["a"], "14:11: catches[0]: got a list of 1, expected at least 2 of them"),
    ],
)
def test_promises_are_held_against_the_known_mistakes(
    faults: Faults, catches: str, mistakes: list[str], expected: str
) -> None:
    got = faults("checks: [shape, {no_future_leak: {axis: T}}]", f"checks: [shape]\ncatches: {catches}", mistakes)
    assert got == [expected]


def test_limits_have_bounds(faults: Faults) -> None:
    got = faults("checks: [shape, {", "limits: {call_seconds: 1e9, memory: 3}\nchecks: [shape, {")
    assert got == [
        "13:24: limits.call_seconds: got 1000000000.0, expected at most 120",
        "13:29: limits.memory: unknown key — did you mean `memory_mb`?",
    ]


def test_a_file_name_without_a_number_is_named(load: Load) -> None:
    with pytest.raises(AuthorError) as caught:
        load(SMALL, "small.yaml")
    expected = "f.yaml:1:1: the file's name is not of the form `NN_slug.yaml`, such as `03_causal_mask.yaml`"
    assert caught.value.problems == (expected,)


def test_faults_in_all_parts_are_told_in_one_pass(load: Load) -> None:
    text = (
        SMALL.replace("points: 1", "points: lots")
        .replace("small(x, n=None)", "small(x, n=None, n=2)")
        .replace("{size: N}", "{sise: N}")
        .replace("name: one", "nam: one")
        .replace("checks: [shape", "checks: [shap")
    )
    with pytest.raises(AuthorError) as caught:
        load(text)
    assert [problem.split(":")[1] for problem in caught.value.problems] == ["2", "4", "8", "11", "13"]
