"""The log, the annotations and the step summary of a GitHub job, and the notices of GitHub Classroom."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from report_readers import commands
from report_samples import absent, errored, failed, folder, ours, passed, quiz, report, timed_out

from grader.cli import output
from grader.kinds.reports import REPORTS, ReportStyle, github
from grader.model import Report, Result, Verdict, message

STYLE = ReportStyle()


def acting(one: Report, lang: str = "en") -> list[tuple[str, dict[str, str], str]]:
    return commands(REPORTS["github"](one, ReportStyle(lang)))[0]


def notices(one: Report) -> dict[str, str]:
    return {given["title"]: said for level, given, said in acting(one) if level == "notice"}


def test_the_log_has_the_text_report_with_commands_switched_off() -> None:
    text = REPORTS["github"](folder(), STYLE)
    first, *rows = text.split("\n")
    word = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{64}", word)
    end = rows.index(f"::{word}::")
    assert "\n".join(rows[:end]) == REPORTS["text"](folder(), STYLE).rstrip()
    assert all(row.startswith("::") for row in rows[end + 1 :] if row)


def test_a_learner_cannot_switch_commands_on_again() -> None:
    one = replace(failed(), printed="::error::first\n")
    word = re.match("::stop-commands::(.*)", REPORTS["github"](report(one), STYLE))[1]  # type: ignore[index]
    guessed = replace(failed(), printed=f"::{word}::\n::error::second\n")
    text = REPORTS["github"](report(guessed), STYLE)
    assert f"stop-commands::{word}" not in text
    assert [said for _, _, said in commands(text)[0] if "second" in said] == []


def test_an_error_stands_on_the_line_that_raised() -> None:
    level, given, said = acting(report(errored()))[0]
    assert level == "error"
    assert given == {"file": "work/causal_mask.py", "line": "3", "col": "22", "title": "Causal mask 0/5"}
    assert said.startswith("Python cannot read line 3 of your file: '(' was never closed\n")


def test_an_error_without_an_exception_stands_where_the_function_is_defined() -> None:
    _, given, said = acting(report(replace(failed(), line=7)))[0]
    assert (given["file"], given["line"]) == ("attention.py", "7")
    assert said.split("\n")[0] == "The scores were not divided by √d_k."
    assert said.split("\n")[-1] == "→ How does the variance of q·k grow with d_k?"


def test_a_column_or_line_that_cannot_be_is_left_out() -> None:
    odd = replace(errored(), source=((-3, "", "x"),), column=-1)
    assert set(acting(report(odd))[0][1]) == {"file", "title"}


def test_a_notebook_is_annotated_without_a_line() -> None:
    cell = replace(errored(), path="work.ipynb", cells=(4,))
    assert set(acting(report(cell))[0][1]) == {"file", "title"}


def test_the_most_useful_errors_come_first() -> None:
    plain = replace(timed_out(), path="scale_scores.py")
    titles = [
        given["title"] for level, given, _ in acting(report(plain, failed(), errored(), ours())) if level == "error"
    ]
    assert titles == ["Softmax –", "Causal mask 0/5", "Masked attention 2.5/10", "Scale 0/8"]


@pytest.mark.parametrize("level", ["error", "warning", "notice"])
def test_there_are_at_most_ten_of_a_level_and_the_summary_counts_the_rest(level: str) -> None:
    remarked = [replace(passed(), slug=f"e{i}") for i in range(13)]
    wrong = [replace(failed(), slug=f"f{i}") for i in range(12)]
    one = replace(report(*remarked, *wrong), notes=tuple(message("{x}", x=f"note {i}") for i in range(14)))
    found = [command for command, _, _ in acting(one)]
    assert found.count(level) == 10
    # 2 errors, 3 warnings, and 6 notices beside the two of Classroom
    assert "since GitHub takes ten of a kind: 11" in github.summary(one, STYLE, 900_000)


def test_what_was_not_handed_in_is_one_warning() -> None:
    found = [said for level, _, said in acting(report(absent(), replace(absent(), slug="other"))) if level == "warning"]
    assert found == ["Not handed in: output_shapes 0/5, other 0/5."]


def test_what_was_not_started_is_a_warning_of_its_own() -> None:
    one = report(absent(), replace(absent(), slug="other", path="other.py"))
    found = [said for level, _, said in acting(one) if level == "warning"]
    assert found == ["Not started: other 0/5.", "Not handed in: output_shapes 0/5."]


def test_classroom_gets_points_in_two_notices() -> None:
    found = notices(report(failed(), quiz()))
    assert found["Autograding complete"] == "Points 5.5/15"
    assert json.loads(found["Autograding report"]) == {"totalPoints": 5.5, "maxPoints": 15}


def test_classroom_is_told_in_the_same_words_in_every_language() -> None:
    chinese = [said for level, _, said in acting(report(failed()), "zh") if level == "notice"]
    assert chinese == list(notices(report(failed())).values())


def test_points_never_round_up_to_all() -> None:
    found = notices(report(replace(passed(), score=9.9999)))
    assert found["Autograding complete"] == "Points 9.99/10"
    assert json.loads(found["Autograding report"])["totalPoints"] == 9.99


def test_classroom_gets_nothing_when_nothing_can_be_reached_or_we_are_at_fault() -> None:
    nothing = replace(quiz(), verdict=Verdict.NOT_JUDGED, outcomes=quiz().outcomes[2:], score=0, max_score=0)
    assert notices(report(nothing)) == {}
    assert notices(report(passed(), ours())) == {}


def test_a_passed_report_has_no_errors() -> None:
    clean = replace(passed(), outcomes=tuple(o for o in passed().outcomes if not o.remark))
    assert {level for level, _, _ in acting(report(clean))} == {"notice"}


def test_messages_and_properties_are_escaped_as_the_runner_reads_them() -> None:
    tricky = replace(failed(), path="50%, a:b.py", headline=message("{x}", x="100%25, a:b::c"))
    text = REPORTS["github"](report(tricky), STYLE)
    assert "file=50%25%2C a%3Ab.py," in text
    _, given, said = acting(report(tricky))[0]
    assert given["file"] == "50%, a:b.py"
    assert said.startswith("100%25, a:b::c\n")


# ---------------------------------------------------------------- step summary


def many(count: int) -> Report:
    long = replace(failed(), printed=("out " * 100 + "\n") * 60)
    return report(*(replace(long, slug=f"e{i}", title={"en": f"Task {i}", "zh": f"任务 {i}"}) for i in range(count)))


def test_the_summary_is_the_markdown_report() -> None:
    assert github.summary(report(failed()), STYLE, 900_000) == REPORTS["markdown"](report(failed()), STYLE)


def test_a_summary_that_is_too_long_is_cut_and_says_so() -> None:
    whole = github.summary(many(12), STYLE, 900_000)
    cut = github.summary(many(12), STYLE, 150_000)
    assert len(whole.encode()) > 200_000
    assert 100_000 < len(cut.encode()) <= 150_000
    left = re.search("Results without details: ([0-9]+)", cut)
    assert left
    assert 0 < int(left[1]) < 12
    assert all(f"Task {i}" in cut for i in range(12))
    assert whole.splitlines()[0] == cut.splitlines()[0]  # the points are those of all results


def test_a_summary_shrinks_to_nothing_rather_than_be_dropped() -> None:
    sizes = [len(github.summary(many(12), STYLE, room).encode()) for room in (900_000, 20_000, 3_000, 400, 10, -5)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0
    assert sizes[3] <= 400


def test_the_summary_is_appended_where_github_says(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "summary.md"
    file.write_text("before\n")
    rooms: list[int] = []

    def render(style: ReportStyle, room: int) -> str:
        rooms.append(room)
        return f"after in {style.lang}\n"

    output.summarise(render, "zh", {"GITHUB_STEP_SUMMARY": str(file)})
    assert file.read_text() == "before\nafter in zh\n"
    assert rooms == [output.SUMMARY_BYTES - len("before\n")]


def test_there_is_no_summary_elsewhere() -> None:
    def never(style: ReportStyle, room: int) -> str:
        raise AssertionError

    output.summarise(never, "en", {})
    output.summarise(never, "en", {"GITHUB_STEP_SUMMARY": ""})


def test_a_summary_that_cannot_be_written_is_said(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(output.Stop, match="step summary cannot be written"):
        output.summarise(lambda style, room: "x", "en", {"GITHUB_STEP_SUMMARY": str(tmp_path)})


def test_nothing_of_a_result_is_needed_to_annotate_it() -> None:
    bare = Result("exercise", "one", {"en": "One", "zh": "一"}, Verdict.CRASHED, 0, 1)
    assert acting(report(bare))[0] == ("error", {"title": "One 0/1"}, "")
