"""What each format for machines gives for a whole folder and for hostile text, kept as files: the difference is the review."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hostile_samples import everywhere
from report_samples import folder

from grader.kinds.reports import REPORTS, ReportStyle
from grader.model import Report

GOLDENS = Path(__file__).with_name("goldens")
ENDS = {
    "junit": "junit.xml",
    "gradescope": "gradescope.json",
    "ctrf": "ctrf.json",
    "github": "github.txt",
    "json": "json",
}
NASTY = "<b>*x*|\x1b[31m\u202e\x00]]>\n::error::y ##[group] =1+1"
REPORTED = {"folder": folder(), "hostile": everywhere(NASTY)}
STYLE = ReportStyle("en", started=1_750_000_000.25, stopped=1_750_000_004.5)


def made(word: str, report: Report) -> str:
    text = REPORTS[word](report, STYLE)
    # The text report between the two commands has tests of its own, and the word depends on all of it.
    return re.sub(r"(?s)(::stop-commands::)(\w+)\n.*?\n::\2::", r"\1WORD\n(the text report)\n::WORD::", text)


@pytest.mark.parametrize("word", ENDS)
@pytest.mark.parametrize("name", REPORTED)
def test_a_transcript_is_what_the_format_gives(name: str, word: str, update_transcripts: bool) -> None:
    golden = GOLDENS / f"{name}.{ENDS[word]}"
    text = made(word, REPORTED[name])
    if update_transcripts:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_no_other_file_lies_beside_the_transcripts() -> None:
    assert {path.name for path in GOLDENS.iterdir()} == {f"{name}.{end}" for name in REPORTED for end in ENDS.values()}
