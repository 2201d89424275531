"""The JSON report as a model: what `schemas/report.schema.json` is made of, and what tests hold every JSON report to.

Format 1: fields may be added, never renamed, and a program that reads reports has to pass over those that it does not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.model import Verdict

VerdictWord = Annotated[str, Field(json_schema_extra={"enum": [verdict.value for verdict in Verdict]})]
Points = Annotated[float, Field(ge=0)]
Line = Annotated[int, Field(ge=1)]


class Part(BaseModel):
    """A part of the report; every field is always there."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class IsolationPart(Part):
    """What held the learner's code."""

    level: Literal["strict", "best", "none"] = Field(description="what was asked for")
    layers: tuple[str, ...] = Field(description="what was in force")
    keeps_answers: bool = Field(description="whether hidden answers were out of reach of the learner's code")
    note: str | None = Field(description="what this machine lacks, and what that means")


class SourcePart(Part):
    """One line of the learner's own that an exception passed through."""

    line: int = Field(description="in the file, or in the cell of a notebook")
    function: str = Field(description='the function it lies in, "" at the top level')
    code: str
    cell: int | None = Field(description="of a notebook: which code cell")


class OutcomePart(Part):
    """What one check said of one case, or what became of one question. The points of a case lie on one of its outcomes."""

    case: str = Field(description="the name of the case, or the id of the question")
    check: str = Field(description="the word of the check, or of the question kind")
    verdict: VerdictWord
    hidden: bool = Field(description="a hidden case: there is never a message")
    remark: bool = Field(description="said, but without points")
    points: Points
    max_points: Points
    message: str | None
    flags: tuple[str, ...] = Field(description="what a person who reads the answer should look at first")


class DiagnosisPart(Part):
    """A known mistake that gives what the learner's code gives."""

    mistakes: tuple[str, ...] = Field(min_length=1, description="ids: one, several that are the same here, or a pair")
    codes: tuple[str, ...] = Field(description="short codes of the same mistakes")
    matched_calls: int = Field(ge=0)
    of_calls: int = Field(ge=1)
    same: bool = Field(description="several ids are the same function here; otherwise they were made at once")
    text: str = Field(description="what it is, and a question that leads on")


Plain = Any
"""Numbers, texts and nested lists of them; a number that is not finite is the text `nan`, `inf` or `-inf`."""


class ExamplePart(Part):
    """The smallest inputs found on which the mistake that is named shows."""

    arguments: dict[str, Plain] = Field(description="tensors as nested lists")
    got: dict[str, Plain] = Field(description='by the name of the result, "" for the only one')
    expected: dict[str, Plain]


class ResultPart(Part):
    """One exercise or quiz."""

    kind: Literal["exercise", "quiz"]
    slug: str
    title: str
    path: str = Field(description='the file as it was named, "" where there was none')
    verdict: VerdictWord
    score: Points
    max_score: Points
    headline: str | None = Field(description="the sentence that matters")
    details: tuple[str, ...]
    next_step: str | None = Field(description="the one thing to do now")
    source: tuple[SourcePart, ...] = Field(description="outermost first")
    column: Line | None = Field(description="where in the last line of `source`")
    line: Line | None = Field(description="where the file defines what was asked for")
    outcomes: tuple[OutcomePart, ...]
    diagnoses: tuple[DiagnosisPart, ...] = Field(description="the most likely first")
    example: ExamplePart | None = Field(description="of the first diagnosis, where there is one so small")
    printed: str = Field(description="what the learner's code printed, made harmless")
    printed_cut: bool


class ReportFile(Part):
    """What `grader check --report json` writes. Every text is in one language and harmless: nothing in it is a control character."""

    format: Literal[1] = Field(description="fields may be added within a format, never renamed or removed")
    lang: str = Field(min_length=2, description="the language of every text")
    score: Points
    max_score: Points = Field(description="of all that was judged")
    not_judged: int = Field(ge=0, description="answers that count neither way yet")
    isolation: IsolationPart
    device: str
    seed: int = Field(ge=0, description="what the open cases were drawn from")
    notes: tuple[str, ...]
    results: tuple[ResultPart, ...]
