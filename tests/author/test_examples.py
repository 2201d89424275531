"""Every built-in word has an example, and every example does what a file or a command with it would do."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_course import exercise

from grader.author.calls import caller
from grader.author.examples import EXAMPLES
from grader.author.listings import listing_problems
from grader.author.words import VOCABULARIES, described
from grader.cli.output import destinations
from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.kinds.kind import Kind
from grader.kinds.questions import QUESTIONS, check_key
from grader.kinds.questions.predicting import Predict
from grader.kinds.reports import REPORTS, ReportStyle
from grader.locale import say
from grader.model import Isolation, Tensor
from grader.stages.compute import Reference
from grader.stages.report import build_report, not_submitted
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.words import bare_word, keyed_word, kind_word

SIZES = {"B": 3, "H": 2, "T": 4, "S": 5, "D": 6, "M": 7, "V": 11}


@pytest.mark.parametrize("sort", VOCABULARIES)
def test_every_word_has_an_example(sort: str) -> None:
    assert set(EXAMPLES[sort]) == set(VOCABULARIES[sort])


@pytest.mark.parametrize("word", EXAMPLES["inputs"])
def test_an_example_of_an_input_is_drawn(word: str) -> None:
    source = read_yaml(EXAMPLES["inputs"][word], "")
    (name,) = source.data
    kind = keyed_word(INPUTS, source, (name,))
    assert not isinstance(kind, list), kind
    assert isinstance(kind, INPUTS[word])
    drawn = kind.draw(SIZES, np.random.default_rng(0))
    if isinstance(drawn, Tensor):
        assert drawn.shape == tuple(SIZES.get(axis, axis) for axis in kind.shape_axes)


@pytest.mark.parametrize("word", EXAMPLES["checks"])
def test_an_example_of_a_check_is_read(word: str) -> None:
    check = bare_word(CHECKS, read_yaml(f"checks: [{EXAMPLES['checks'][word]}]", ""), ("checks", 0))
    assert isinstance(check, CHECKS[word]), check


@pytest.mark.parametrize("word", EXAMPLES["questions"])
def test_an_example_of_a_question_judges_right_wrong_and_malformed_answers(word: str) -> None:
    spec = kind_word(QUESTIONS, read_yaml(EXAMPLES["questions"][word], ""), (), frozenset({"kind"}))
    assert not isinstance(spec, list), spec
    problems = check_key(spec, caller(Reference({}, {}, None, AssertionError)))
    problems += listing_problems(spec) if isinstance(spec, Predict) else []
    assert [say(problem, "en") for problem in problems] == []


@pytest.mark.parametrize("word", EXAMPLES["reports"])
def test_an_example_of_a_format_is_read_and_rendered(word: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    option, value = EXAMPLES["reports"][word].split()
    assert option == "--report"
    assert word in [found.format for found in destinations([value], REPORTS, "en")]
    report = build_report([not_submitted(exercise("alpha"))], Isolation("none"), "cpu", 0)
    assert "alpha" in REPORTS[word](report, ReportStyle())


@pytest.mark.parametrize("sort", VOCABULARIES)
def test_a_word_is_described_with_its_options_and_its_example(sort: str) -> None:
    for word, thing in VOCABULARIES[sort].items():
        told = described(sort, word)
        assert told.startswith(f"{word}\n")
        assert EXAMPLES[sort][word].splitlines()[-1].strip() in told
        if isinstance(thing, type) and issubclass(thing, Kind):
            assert all(f"  {field.alias or name}" in told for name, field in thing.model_fields.items())
