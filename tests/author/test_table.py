"""The page of mistakes: in step with the course, and no code of the catalogue without an exercise or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.author.table import load_reasons, mistakes_page
from grader.course.folder import load_course, load_course_mistakes

ROOT = Path(__file__).parents[2]
CATALOGUE = {"SC": 17, "SM": 15, "MK": 33, "VO": 8, "MH": 21, "ST": 16, "PE": 10, "LN": 5, "RS": 3, "FF": 1, "DC": 5}


@pytest.fixture(scope="module")
def course():
    return load_course(ROOT)


def test_the_page_is_up_to_date(course):
    page = mistakes_page(course, load_course_mistakes(ROOT))
    assert (ROOT / "docs" / "mistakes.md").read_text(encoding="utf-8") == page, "run `make schemas`"


def test_every_code_is_caught_somewhere_or_says_why_it_cannot_be(course):
    promised = {name for e in course.exercises.values() for group in e.catches for name in group}
    promised |= {getattr(check, "names", "") for e in course.exercises.values() for check in e.checks}
    caught = {code for m in load_course_mistakes(ROOT).values() if m.id in promised for code in m.codes}
    codes = {f"{letters}{number}" for letters, most in CATALOGUE.items() for number in range(1, most + 1)}
    assert codes - caught - set(load_reasons(ROOT)) == set()


def test_a_page_in_chinese_has_chinese_heads(course):
    assert mistakes_page(course, load_course_mistakes(ROOT), "zh").startswith("# 已知的错误\n")
