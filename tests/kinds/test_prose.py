"""Authors' texts become HTML that cannot do anything, and LaTeX becomes MathML that cannot either."""

from __future__ import annotations

import re

import pytest

from grader.kinds.reports.html import inline
from grader.kinds.reports.mathml import LONGEST, Unreadable, mathml, problem
from grader.kinds.reports.prose import prose
from grader.locale import say

HOSTILE = [
    r"\text{</mtext></math><script>alert(1)</script>}",
    r"\text{&#60;script&#62;alert(1)&#60;/script&#62;}",
    r"\text{&lt;img src=x onerror=alert(1)&gt;}",
    r"\href{javascript:alert(1)}{x}",
    r"\style{background:url(https://example.org)}{x}",
    r"\class{a}{x}",
    "\\text{\x00\x1b\u202e}",
]
LIVE = re.compile(r"<(?!/?(?:math|m[a-z]+)\b)|javascript|style=|class=|href|\son\w+=|[\x00-\x08\x1b]")


@pytest.mark.parametrize("latex", HOSTILE)
def test_nothing_in_a_formula_is_live(latex: str) -> None:
    assert not LIVE.search(mathml(latex).replace("&lt;", "").replace("onerror", ""))


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (r"\text{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}+M\right)V", ["<mfrac>", "<msqrt>", "<mtext>softmax</mtext>", "⊤"]),
        (r"\begin{bmatrix}1 & 0\\ 0 & -\infty\end{bmatrix}", ["<mtable", "<mtr>", "∞"]),
        (r"j \le i + n_k - n_q", ["≤", "<msub>"]),
    ],
)  # fmt: skip
def test_a_formula_keeps_what_it_says(latex: str, parts: list[str]) -> None:
    shown = mathml(latex, block=True)
    assert all(part in shown for part in parts)
    assert shown.startswith("<math ") and 'display="block"' in shown
    assert problem(latex) is None


@pytest.mark.parametrize("latex", ["{" * 900, r"\frac{", r"\left(" * 300, "x" * (LONGEST + 1)])
def test_a_formula_that_cannot_be_read_is_an_error_with_a_reason_and_code_on_the_page(latex: str) -> None:
    with pytest.raises(Unreadable) as error:
        mathml(latex)
    assert say(error.value.why, "en").startswith("the formula")
    assert problem(latex) == error.value.why


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"\begin{aligned}a & b\end{aligned}", r"write `\begin{align*}`"),
        (r"a \xrightarrow{x} b", r"write `\rightarrow`"),
        (r"\softmaxx{x}", r"`\softmaxx` is not known"),
    ],
)
def test_a_formula_that_would_look_poor_is_named_to_its_author(latex: str, said: str) -> None:
    found = problem(latex)
    assert found is not None
    assert said in say(found, "en")


def test_prose_is_markdown_with_formulas() -> None:
    page = prose(
        "# Title\n\nTwo *words*, n_q and $x_1$.\n\n    code n_q < 1\n\n- one\n- two\n\n$$\n\\sqrt{d_k}\n$$\n\n|a|b|\n|-|-|\n|1|2|"
    )
    assert "<h4>Title</h4>" in page
    assert "<em>words</em>, n_q and <math" in page
    assert '<pre tabindex="0"><code>code n_q &lt; 1' in page
    assert "<li>two</li>" in page
    assert 'display="block"' in page
    assert "<td>2</td>" in page


def test_prose_lets_nothing_live_through() -> None:
    page = prose(
        "<script>a()</script> <img src=x onerror=a()> [x](javascript:a()) [y](data:text/html,x) "
        "![i](https://example.org/i.png) [z](https://example.org) $\\text{</math><script>b()</script>}$"
    )
    assert not re.search(r"<(script|img)\b", page)
    assert re.findall(r'href="([^"]*)"', page) == ["https://example.org/i.png", "https://example.org"]


def test_money_is_no_formula_and_a_line_break_in_chinese_is_no_space() -> None:
    assert "<math" not in prose("It costs $5 and $6.")
    assert prose("每个查询\n询问所有键") == "<p>每个查询询问所有键</p>\n"


def test_a_message_shows_code_and_formulas_and_escapes_the_rest() -> None:
    shown = inline("`a<b` <i>$5$</i> and $\\sqrt{d_k}$, $\\frac{$")
    assert shown.startswith("<code>a&lt;b</code> &lt;i&gt;$5$&lt;/i&gt; and <math")
    assert shown.endswith("<code>\\frac{</code>")
