"""What every format keeps: hidden cases stay hidden, hostile text is harmless, the same report gives the same bytes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from report_samples import (
    COURSE,
    EVIL,
    PANEL,
    SECRET,
    absent,
    course_page,
    errored,
    failed,
    folder,
    hostile,
    passed,
    quiz,
    report,
    timed_out,
)

from grader.kinds.reports import REPORTS, ReportStyle
from grader.kinds.reports.escape import line
from grader.kinds.reports.terminal import cells, wrap
from grader.kinds.reports.view import points
from grader.model import Example, Isolation, Outcome, Panel, Tensor, Verdict, message
from grader.stages.progress import in_course

FORMATS = ("text", "json", "html", "markdown")
LIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def show(word: str, one, lang: str = "en", color: bool = False, width: int = 80) -> str:  # type: ignore[no-untyped-def]
    return REPORTS[word](one, ReportStyle(lang, color, width))


def test_every_format_says_what_it_is_for() -> None:
    assert set(FORMATS) <= set(REPORTS)
    assert all(REPORTS[word].__doc__ for word in REPORTS)


@pytest.mark.parametrize("word", FORMATS)
def test_a_hidden_case_shows_its_name_and_nothing_else(word: str) -> None:
    text = show(word, report(failed()))
    assert "long" in text
    assert SECRET not in text


@pytest.mark.parametrize("word", FORMATS)
def test_hostile_text_is_shown_escaped_in_every_format(word: str) -> None:
    text = show(word, report(hostile()))
    assert not LIVE.search(text)
    assert "x1b" in text
    assert "u202e" in text
    assert not re.search(r"^\s*::", text, re.M)
    assert "##[" not in text
    text.encode("utf-8")


@pytest.mark.parametrize("word", FORMATS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_whole_folder_renders_and_twice_gives_the_same(word: str, lang: str) -> None:
    first = show(word, folder(), lang)
    assert first == show(word, folder(), lang)
    assert first.endswith("\n")
    assert "output_shapes" in first or "Output shapes" in first or "输出形状" in first


@pytest.mark.parametrize("word", FORMATS)
def test_a_line_of_ten_million_characters_is_cut(word: str) -> None:
    long = replace(failed(), headline=message("{x}", x="y" * 10_000_000), printed="z" * 10_000_000)
    assert len(show(word, report(long))) < 60_000


@pytest.mark.parametrize("word", FORMATS)
def test_it_is_said_when_answers_were_not_out_of_reach(word: str) -> None:
    bare = report(passed(), isolation=Isolation("none", keeps_answers=False, note=message("macOS has no Landlock.")))
    text = show(word, bare)
    assert "macOS has no Landlock." in text
    assert ('"keeps_answers": false' if word == "json" else "could have read the hidden answers") in text


@pytest.mark.parametrize("word", FORMATS)
def test_the_language_is_the_readers(word: str) -> None:
    text = show(word, report(failed()), "zh")
    assert "分数没有除以" in text
    assert "How does the variance" not in text


def test_importing_the_formats_loads_neither_jinja_nor_numpy() -> None:
    code = "import sys, grader.kinds.reports; print([m for m in ('jinja2', 'numpy', 'torch', 'pydantic') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# ---------------------------------------------------------------- text


def test_the_text_leads_with_the_sentence_then_evidence_then_the_next_step() -> None:
    text = show("text", report(failed()))
    places = [
        text.index(part)
        for part in (
            "The scores were not divided",
            "In all 3 cases",
            'Case "two heads"',
            "0.58*",
            "1 of 3 visible",
            "✗ shape: broad\n",
            "✓ one head\n",
            "✗ values (hidden): long\n",
            "→ How does",
        )
    ]
    assert places == sorted(places)


EXAMPLE = ("query [[-1, 0.5]]", "mask [[True, False]]", "d_k 2", "shape (3,)")


def test_a_small_example_shows_its_arguments_and_what_differs() -> None:
    text = show("text", report(failed()))
    assert (
        f"  A small example: {'; '.join(EXAMPLE)}\n    weights: got [[0.88, 0.12]], expected [[0.80, 0.20]]\n" in text
    )
    page = show("html", report(failed()))
    assert '<code class="red">[[0.88, 0.12]]</code></td><td><code>[[0.80, 0.20]]</code>' in page
    assert "<dt><code>query</code></dt><dd><code>[[-1, 0.5]]</code></dd>" in page
    note = show("markdown", report(failed()))
    assert "- weights: got `[[0.88, 0.12]]`, expected `[[0.80, 0.20]]`" in note
    assert "mask `[[True, False]]`" in note


def test_an_example_has_as_many_digits_as_its_difference_needs() -> None:
    got, right = (Tensor("float64", np.array([x])) for x in (0.5004, 0.5))
    close = replace(failed(), example=Example({}, {"": got}, {"": right}))
    assert "got [0.5004], expected [0.5000]" in show("text", report(close))


def test_the_text_says_nothing_twice() -> None:
    rows = [row for row in show("text", report(failed())).splitlines() if row.strip()]
    assert len(rows) == len(set(rows))
    assert "".join(rows).count("9 of 12 values differ") == 1


def test_a_failure_of_another_sort_is_told_beside_its_cases() -> None:
    unnamed = replace(failed(), diagnoses=(), headline=failed().details[1], details=())
    text = show("text", report(unnamed))
    assert "✗ shape: broad\n      broad: got (B, T, E), expected (B, T, D)\n" in text
    assert text.count("values differ") == 1


def test_a_failure_fits_a_screen_of_forty_lines() -> None:
    many = tuple(Outcome(f"case {n}", "values", Verdict.FAILED, message=message("off by {n}", n=n)) for n in range(30))
    long = replace(failed(), outcomes=(*failed().outcomes, *many))
    assert len(show("text", report(long)).splitlines()) <= 40


def test_a_masked_nothing_is_a_dot_and_row_sums_stand_beside_weights() -> None:
    text = show("text", report(failed()))
    assert re.search(r"^  0   0\.58\* 0\.42\*    · +1\.00 +0   0\.55  0\.45     · +1\.00$", text, re.M)
    assert "· masked: weight 0" in text


def test_stars_are_left_out_where_every_number_differs() -> None:
    panel = replace(PANEL, wrong=((True,) * 3,) * 3, masked=())
    one = replace(failed(), outcomes=tuple(replace(o, panels=(panel,) if o.panels else ()) for o in failed().outcomes))
    text = show("text", report(one))
    assert "every number differs by more than is allowed" in text
    assert "*" not in text


def test_a_part_of_a_large_result_says_which_part_it_is() -> None:
    panel = replace(PANEL, start=(4, 0), size=(9, 3))
    one = replace(failed(), outcomes=tuple(replace(o, panels=(panel,) if o.panels else ()) for o in failed().outcomes))
    text = show("text", report(one))
    assert "weights, B=0, H=1, T=4…6 (9)" in text
    assert re.search(r"^  4   0\.58", text, re.M)


def test_a_passed_exercise_is_short() -> None:
    rows = show("text", report(passed())).splitlines()
    assert rows[1].strip().startswith("Correct: every case passes")
    assert len(rows) <= 8
    assert [row for row in rows if row.startswith("  → Next: Masked attention.")]


def test_a_syntax_error_has_a_caret_under_its_column() -> None:
    rows = show("text", report(errored())).splitlines()
    at = next(i for i, row in enumerate(rows) if "torch.tril" in row)
    assert rows[at + 1].index("^") == rows[at].index("tril(") + len("tril")


@pytest.mark.parametrize(("lang", "name"), [("en", "syntax error"), ("zh", "语法错误")])
def test_an_overview_calls_a_syntax_error_that(lang: str, name: str) -> None:
    for word in ("text", "markdown", "html"):
        shown = show(word, report(errored(), passed()), lang)
        assert name in shown
    assert re.search(rf"✗ causal_mask +{name} ", show("text", report(errored(), passed()), lang))


def test_a_caret_stands_under_its_column_after_wide_characters() -> None:
    wide = replace(errored(), source=((1, "", "注意力 = ("),), column=7)
    rows = show("text", report(wide)).splitlines()
    at = next(i for i, row in enumerate(rows) if "注意力" in row)
    assert cells(rows[at + 1]) == cells(rows[at])


def test_a_time_out_and_what_was_not_reached_read_apart() -> None:
    text = show("text", report(timed_out()))
    assert "✗ time-out: small\n" in text
    assert text.endswith(
        "- not run: large\n\nGraded with isolation best (own process, resource limits), device cpu, seed 0.\n"
    )


def test_a_quiz_shows_partial_points_and_counts_what_waits() -> None:
    text = show("text", report(quiz()))
    assert "✗ 1b 1/3: The last axis follows d_v." in text
    assert "\n  ✓ 1a\n  ? waits for a person: 1c\n" in text
    assert "Graded with" not in text
    assert "Answers that wait for a person: 1." in show("text", report(quiz(), passed()))


def test_several_results_end_with_an_overview_and_the_sum() -> None:
    text = show("text", folder())
    assert re.search(r"^○ output_shapes +not handed in +0/5$", text, re.M)
    assert re.search(r"^Total +15\.5/43$", text, re.M)
    assert "Not graded because of a fault of ours: 1." in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [30, 44, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int, lang: str) -> None:
    long = [row for row in show("text", folder(), lang, width=width).splitlines() if cells(row) > width]
    assert long == []


def test_colour_only_when_asked_and_only_ours() -> None:
    assert "\x1b" not in show("text", folder())
    painted = show("text", report(hostile(), failed()), color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == show("text", report(hostile(), failed()))


def test_chinese_wraps_by_cells_and_no_line_begins_with_a_comma() -> None:
    rows = wrap("分数没有除以根号，所以权重太尖锐，几乎只看一个键。", 16)
    assert max(map(cells, rows)) <= 16
    assert not any(row[0] in "，。" for row in rows)
    assert "".join(rows) == "分数没有除以根号，所以权重太尖锐，几乎只看一个键。"


def test_digits_grow_until_wrong_cells_look_wrong() -> None:
    close = Panel("", ("T", "S"), "", ((0.50012,),), ((0.5,),), ((True,),))
    one = failed()
    shown = replace(one, outcomes=tuple(replace(o, panels=(close,) if o.panels else ()) for o in one.outcomes))
    assert re.search(r"0\.5001\* +0 +0\.5000", show("text", report(shown)))


def test_whole_numbers_are_shown_without_decimals() -> None:
    mask = Panel("", ("T", "S"), "", ((1.0, 1.0),), ((1.0, 0.0),), ((False, True),))
    one = replace(failed(), outcomes=tuple(replace(o, panels=(mask,) if o.panels else ()) for o in failed().outcomes))
    assert re.search(r"^  0   1  1\* +0   1  0$", show("text", report(one)), re.M)


def test_points_never_round_up_to_all() -> None:
    assert "9.99/10" in show("text", report(replace(passed(), score=9.9999)))
    assert points(9.999999, 10) == "9.99/10"
    assert points(2 / 3 - 0.001, 2 / 3) == "0.66/0.67"


@pytest.mark.parametrize(
    ("score", "most", "said"),
    [
        (25 / 6, 25 / 6, "4.17/4.17"),
        (0, 155 / 12, "0/12.92"),
        (5 / 3, 5, "1.67/5"),
        (1 / 3, 1, "0.33/1"),
        (0.125, 1, "0.13/1"),
        (0.1 + 0.2, 0.3, "0.3/0.3"),
        (3 * (10 / 3), 10, "10/10"),
    ],
)
def test_points_are_rounded(score: float, most: float, said: str) -> None:
    assert points(score, most) == said


def test_escaping_twice_changes_nothing_more() -> None:
    assert line(line(EVIL)) == line(EVIL)


def test_a_course_is_shown_by_modules_with_what_comes_next() -> None:
    rows = show("text", course_page()).splitlines()
    modules = [row for row in rows if " passed" in row and " of " in row]
    assert modules == ["The pieces · 0 of 3 passed", "Attention · 1 of 3 passed"]
    assert "→ Go on with: Scale. `grader hint scale_scores` gives a hint." in rows


# ---------------------------------------------------------------- json


def test_json_is_format_1_with_the_promised_fields() -> None:
    plain = json.loads(show("json", report(failed(), quiz())))
    assert list(plain)[:1] == ["format"]
    assert {"format", "score", "max_score", "isolation", "device", "seed", "results"} <= set(plain)
    assert plain["isolation"] == {
        "level": "best",
        "layers": ["own process", "resource limits"],
        "keeps_answers": True,
        "note": None,
    }
    first = plain["results"][0]
    assert {"kind", "slug", "title", "verdict", "score", "max_score", "outcomes", "diagnoses"} <= set(first)
    assert {"case", "check", "verdict", "hidden", "points", "max_points", "message"} <= set(first["outcomes"][0])
    assert (
        first["diagnoses"][0]["text"]
        == "The scores were not divided by √d_k. How does the variance of q·k grow with d_k?"
    )
    assert first["diagnoses"][0]["mistakes"] == ["unscaled"]


def test_json_has_the_small_example_as_numbers() -> None:
    example = json.loads(show("json", report(failed())))["results"][0]["example"]
    assert example["arguments"] == {"query": [[-1.0, 0.5]], "mask": [[True, False]], "d_k": 2, "shape": [3]}
    assert (example["got"], example["expected"]) == ({"weights": [[0.88, 0.12]]}, {"weights": [[0.8, 0.2]]})
    wild = Tensor("float64", np.array([np.nan, -np.inf, 1 / 3]))
    one = replace(failed(), example=Example({"x": 1.0}, {"": wild}, {"": 0.0}))
    assert json.loads(show("json", report(one)))["results"][0]["example"]["got"] == {"": ["nan", "-inf", 0.333333333]}
    assert json.loads(show("json", report(passed())))["results"][0]["example"] is None


def test_json_has_what_a_reader_should_look_at_and_never_that_of_a_hidden_outcome() -> None:
    flag = {"en": "Before or after?", "zh": "之前还是之后？"}
    waits = Outcome("why", "text", Verdict.NOT_JUDGED, max_points=1, flags=(flag,))
    one = replace(quiz(), outcomes=(waits, replace(waits, case="held", hidden=True)))
    (seen, held) = json.loads(show("json", report(one)))["results"][0]["outcomes"]
    assert seen["flags"] == ["Before or after?"]
    assert held["flags"] == []


def test_json_points_add_up_to_the_scores() -> None:
    plain = json.loads(show("json", report(passed(), failed(), quiz())))
    for result in plain["results"]:
        judged = [o for o in result["outcomes"] if o["verdict"] != "not_judged"]
        assert sum(o["points"] for o in judged) == pytest.approx(result["score"])
        assert sum(o["max_points"] for o in judged) == pytest.approx(result["max_score"])
    assert plain["score"] == pytest.approx(sum(r["score"] for r in plain["results"]))


def test_json_has_no_noise_of_floats() -> None:
    assert json.loads(show("json", report(replace(passed(), score=0.1 + 0.2))))["score"] == 0.3


# ---------------------------------------------------------------- markdown


def test_markdown_fences_are_longer_than_any_inside() -> None:
    text = show("markdown", report(replace(failed(), printed="```\n````\nout")))
    assert "\n`````text\n```\n````\nout\n`````\n" in text


def test_markdown_has_no_live_markup_from_learners() -> None:
    markdown_it = pytest.importorskip("markdown_it")
    html = (
        markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(show("markdown", report(hostile())))
    )
    assert "<script" not in html
    assert "<img" not in html
    assert "<a " not in html
    assert "<strong>bold" not in html


def test_markdown_tables_keep_their_columns() -> None:
    rows = [row for row in show("markdown", report(hostile())).splitlines() if row.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows if "values" in row} == {5}


def test_markdown_keeps_every_case_behind_a_summary() -> None:
    text = show("markdown", report(failed()))
    inside = text[text.index("<details>") : text.index("</details>")]
    assert "1 of 3 visible cases pass" in inside
    assert "| long (hidden) | ✗ failed | values |" in inside
    assert text.index("**Next step**") < text.index("<details>")


# ---------------------------------------------------------------- html


def test_html_fetches_nothing_and_runs_nothing() -> None:
    page = show("html", report(hostile(), failed()))
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert not re.search(r"<(script|img|link|iframe|object|svg|form)\b", page)
    assert not re.search(r"\s(src|on\w+|style)=", page.replace("name=x", ""))
    assert {href[0] for href in re.findall(r'href="([^"]*)"', page)} == {"#"}


def test_html_is_well_formed_and_says_its_language() -> None:
    from html.parser import HTMLParser

    stack: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br"):
                stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert stack.pop() == tag

    page = show("html", folder(), "zh")
    Reader().feed(page)
    assert stack == []
    assert '<html lang="zh-Hans">' in page


def test_html_tables_can_be_read_aloud() -> None:
    page = show("html", report(failed()))
    for table in re.findall(r"<table.*?</table>", page, re.S):
        assert "<caption" in table
        assert 'scope="col"' in table
        assert 'scope="row"' in table
    assert page.count("(first difference)") == 2
    assert page.count("(masked)") == 2
    assert page.count("<h1>") == 1


def test_html_shows_the_picture_of_the_case_that_is_told_and_keeps_the_others_closed() -> None:
    one = failed()
    other = replace(one.outcomes[5], message=message("off"), panels=(PANEL,))
    page = show("html", report(replace(one, outcomes=(*one.outcomes[:5], other, *one.outcomes[6:]))))
    told, rest = page.split("<h3>Cases</h3>")
    assert told.count('<table class="grid">') == 4
    assert re.search(r"<details>\s*<summary>[^\n]*broad.*?<table class=\"grid\">.*?</details>", rest, re.S)
    assert rest.count('<table class="grid">') == 2


def test_html_has_the_prompt_with_formulas_and_the_hints_behind_summaries() -> None:
    page = show("html", report(failed()))
    assert re.search(r"<summary>What was asked</summary>\s*<div class=\"prose\"><p>Return <math", page)
    assert "<msqrt>" in page
    assert "&lt;b&gt;k&lt;/b&gt;" in page
    assert re.search(r"<summary>Hint 1</summary>\s*<p>Look at <math", page)


def test_html_of_a_quiz_shows_what_was_asked_and_opens_what_is_wrong() -> None:
    page = show("html", report(quiz()))
    opened = re.findall(r"<details open>.*?</details>", page, re.S)
    assert len(opened) == 1
    assert "Which shape has <math" in opened[0]
    assert "The last axis follows d_v." in opened[0]


def test_html_of_a_course_has_progress_what_was_learnt_and_what_is_next() -> None:
    page = show("html", course_page())
    assert "<title>Attention from the ground up 13/33</title>" in page
    assert re.findall(r'<progress aria-label="([^"]*)" max="(\d)" value="(\d)">', page) == [
        ("The pieces", "3", "0"),
        ("Attention", "3", "1"),
    ]
    learnt = page[page.index('<ul class="learnt">') :]
    assert "Masked attention" in learnt[: learnt.index("</ul>")]
    assert "Go on with: Scale." in page
    assert "Later" not in page


def test_html_of_a_course_opens_what_was_begun_and_says_first_what_is_next() -> None:
    nothing = replace(absent(), path="output_shapes.py")
    page = show("html", in_course(report(nothing, passed()), COURSE))
    assert re.findall(r'<details class="module"( open)?>\n<summary><h3><bdi>([^<]*)</bdi>', page) == [
        ("", "The pieces"),
        (" open", "Attention"),
    ]
    assert page.index("Read it with") < page.index('<h2 id="progress">')
    assert "○</span> not started" in page


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_colour_changes_no_line_break(lang: str) -> None:
    names = tuple(f"question_number_{n}" for n in range(30))
    blank = replace(quiz(), outcomes=tuple(Outcome(name, "number", Verdict.SKIPPED, max_points=1) for name in names))
    for one in (
        folder(),
        course_page(),
        report(failed()),
        report(quiz()),
        report(replace(blank, outcomes=(*quiz().outcomes, *blank.outcomes))),
    ):
        for width in (40, 80):
            plain, painted = (show("text", one, lang, color, width) for color in (False, True))
            assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain


def test_markdown_of_a_course_lists_what_was_begun_and_says_first_what_is_next() -> None:
    page = show("markdown", in_course(report(replace(absent(), path="output_shapes.py"), passed()), COURSE))
    assert "| **The pieces** | 0 of 1 passed | |\n| **Attention** |" in page
    assert page.index("**Next step**") < page.index("| Task |")


@pytest.mark.parametrize(("lang", "lines"), [
    ("en", ["  ○ not started: output_shapes", "  ○ not handed in: scale_scores, causal_mask"]),
    ("zh", ["  ○ 尚未开始：output_shapes", "  ○ 未提交：scale_scores、causal_mask"]),
])  # fmt: skip
def test_text_of_a_course_has_one_line_for_what_nothing_was_done_about(lang: str, lines: list[str]) -> None:
    missing = (replace(absent(), slug=slug) for slug in ("scale_scores", "causal_mask"))
    one = in_course(report(replace(absent(), path="output_shapes.py"), *missing, passed()), COURSE)
    rows = show("text", one, lang=lang).splitlines()
    assert [row for row in rows if row.startswith("  ○")] == lines


def luminance(color: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_html_colours_have_the_contrast_of_aa(mode: int) -> None:
    block = re.findall(r":root \{(.*?)\}", show("html", report(failed())), re.S)[mode]
    values = dict(re.findall(r"--(\w+): ([^;]+);", block))

    def rgb(name: str) -> tuple[float, ...]:
        return tuple(int(values[name][i : i + 2], 16) for i in (1, 3, 5))

    for ink in ("ink", "soft", "green", "red", "yellow", "dim", "link"):
        for ground in ("bg", "card"):
            assert contrast(rgb(ink), rgb(ground)) >= 4.5, (ink, ground)
    assert contrast(rgb("soft"), rgb("next")) >= 4.5
    assert contrast(rgb("soft"), rgb("fill")) >= 4.5
    for heat in ("plus", "minus"):
        strength = float(values["strength"])
        full = tuple(
            strength * h + (1 - strength) * c
            for h, c in zip(map(float, values[heat].split()), rgb("card"), strict=True)
        )
        assert contrast(rgb("ink"), full) >= 4.5, heat


@pytest.mark.parametrize(("lang", "said"), [("en", "  ✗ answered wrongly: 1b\n"), ("zh", "  ✗ 答错：1b\n")])
def test_among_others_a_quiz_names_its_wrong_answers(lang: str, said: str) -> None:
    assert said in show("text", report(quiz(), passed()), lang)
    assert said not in show("text", report(quiz()), lang)
