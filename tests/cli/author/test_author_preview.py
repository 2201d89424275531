"""`grader author preview`: one small page with the task, the starter, the hints, and every report as the learner would get it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
Edit = Callable[[str, str, str], None]
EXERCISE = "exercises/01_twice_the_sum.yaml"


@pytest.fixture
def page(course: Path, run: Run) -> Callable[..., str]:
    def made(slug: str, *arguments: str) -> str:
        assert run("preview", slug, "--out", "page.html", *arguments).stdout
        return (course / "page.html").read_text(encoding="utf-8")

    return made


def test_an_exercise_shows_task_starter_hints_and_cases_in_both_languages(page) -> None:
    text = page("twice_the_sum")
    for part in (
        "Twice the sum",
        "和的两倍",
        "return twice the sum of x, y",
        "返回 x、y 之和的两倍",
        "def twice_the_sum(x, y, mask=None):",
        "raise NotImplementedError",
        "Which number turns 3 into 6?",
        "哪个数能把 3 变成 6？",
        'drawn sizes · 随机大小 <span class="tag">hidden</span>',
    ):
        assert part in text, part


def test_every_report_is_that_of_the_judge(page) -> None:
    text = page("twice_the_sum")
    headings = re.findall(r'<p class="headline">(.*?)</p>', text)
    assert headings == [
        "Correct: every case passes (2 visible, 1 hidden).",
        "This file is still the starter: nothing is written in it yet.",
        "Your result is half of what it should be: the sum was not doubled.",
    ]
    assert "你的结果只有应有值的一半" in text  # what is known of the mistake, in the other language too
    assert '<table class="grid">' in text and "A small example" in text


def test_a_page_may_be_in_chinese(page) -> None:
    text = page("twice_the_sum", "--lang", "zh")
    assert '<html lang="zh-Hans">' in text
    assert "学员会读到的内容" in text
    assert "全部正确" in text or "全部用例通过" in text or "正确" in text


def test_a_quiz_shows_its_questions_and_what_is_said_to_each_answer(page) -> None:
    text = page("warm_up")
    for part in (
        "A vector x is added to itself.",
        "向量 x 与自身相加。",
        "x + x is twice x, number by number.",
        "This multiplies each number by itself; try it with x = [3].",
        "这是每个数与自身相乘",
        "This is doubled once.",
        "not an answer",
        "Try it with a single number.",
    ):
        assert part in text, part


def test_the_draws_of_a_question_are_counted(course: Path, run: Run, edit: Edit, page) -> None:
    edit("quizzes/01_warm_up.yaml", "x = 3 is doubled twice. What comes out?", '"x = {x} is doubled. What comes out?"')
    edit("quizzes/01_warm_up.yaml", "把 x = 3 翻倍两次，得到多少？", '"把 x = {x} 翻倍，得到多少？"')
    edit(
        "quizzes/01_warm_up.yaml",
        "    key: 12\n",
        "    varies: {values: {x: {whole: [10, 90]}}, apart: 0.1}\n    key: '{x}'\n",
    )
    run("freeze", "quizzes/01_warm_up.yaml")
    assert "Frozen draws: 20." in page("warm_up")


class Outside(HTMLParser):
    """Collects what a page would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "img", "iframe", "object"):
            self.found.append(tag)
        self.found += [
            f"{name}={value}" for name, value in attrs if name in ("src", "href", "srcset") or name.startswith("on")
        ]


@pytest.mark.parametrize("slug", ["twice_the_sum", "warm_up"])
def test_a_page_fetches_and_runs_nothing_and_is_small(page, slug: str) -> None:
    text = page(slug)
    outside = Outside()
    outside.feed(text)
    assert outside.found == []
    assert "default-src 'none'" in text
    assert len(text) < 60_000
    anchors = re.findall(r' id="([^"]+)"', text)
    assert len(anchors) == len(set(anchors))


def test_what_an_author_writes_cannot_become_markup(edit: Edit, page) -> None:
    edit(EXERCISE, "Which number turns 3 into 6?", "<script>alert(1)</script>")
    edit(EXERCISE, "Write twice_the_sum", "<img src=x onerror=alert(1)> Write twice_the_sum")
    outside = Outside()
    outside.feed(page("twice_the_sum"))
    assert outside.found == []


def test_without_a_file_it_is_named_after_the_slug(course: Path, run: Run) -> None:
    assert "warm_up.preview.html is written" in run("preview", "warm_up").stdout
    assert (course / "warm_up.preview.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        (("warm_upp",), "Did you mean 'warm_up'?", 2),
        (("warm_up", "--out", "no/such/folder.html"), "cannot be written", 2),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments, told: str, code: int) -> None:
    assert told in run("preview", *arguments, code=code).stderr


def test_a_reference_that_fails_points_to_the_proof(run: Run, edit: Edit) -> None:
    edit("reference_impl/exercise_twice_the_sum.py", "return 2 * total", "return 2 * total[9]")
    assert "grader author verify twice_the_sum says where" in run("preview", "twice_the_sum", code=3).stderr
