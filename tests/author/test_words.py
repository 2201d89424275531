"""The lists of words in the READMEs are those of the vocabularies, and the sample in them is a real exercise."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from grader.author.words import VOCABULARIES, table, with_words
from grader.stages.spec import load_exercise

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", ["exercises/README.md", "quizzes/README.md"])
def test_the_lists_are_up_to_date(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    assert with_words(text) == text, "run `make schemas`"
    assert "<!-- words: " in text


@pytest.mark.parametrize("sort", VOCABULARIES)
def test_every_word_says_what_it_is(sort):
    for line in table(sort).splitlines()[2:]:
        word, help_ = re.fullmatch(r"\| `(\w+)` \|.*\| (.+) \|", line).groups()
        assert word in VOCABULARIES[sort]
        assert len(help_) > 20


def test_a_list_that_is_out_of_date_is_renewed():
    old = "before\n<!-- words: checks -->\nold\n<!-- end of words -->\nafter"
    assert with_words(old) == f"before\n<!-- words: checks -->\n{table('checks')}<!-- end of words -->\nafter"


def test_the_sample_exercise_loads(tmp_path):
    text = (ROOT / "exercises" / "README.md").read_text(encoding="utf-8")
    sample = textwrap.dedent(re.search(r" *```yaml\n(.*?)```", text, re.DOTALL)[1])
    file = tmp_path / "05_causal_attention.yaml"
    file.write_text(sample, encoding="utf-8")
    exercise = load_exercise(file)
    assert [case.name for case in exercise.cases] == ["one head", "two heads", "long"]
