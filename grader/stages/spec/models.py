"""The files of a course as pydantic models: their fields are the YAML keys, their docstrings the help in editors.

Words (inputs, checks, questions) are read by `words.py` with the models in `grader/kinds`; here they are only a place in the file.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from grader.kinds.drawn import Varies
from grader.kinds.inputs import Axes
from grader.kinds.kind import Kind, Said
from grader.model import Limits

NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
SLUG = r"^[a-z][a-z0-9_]*$"
MODULE = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"

Name = Annotated[str, Field(pattern=NAME)]
Slug = Annotated[str, Field(pattern=SLUG)]
Points = Annotated[float, Field(ge=0, le=10_000)]

CaseName = Annotated[str, Field(min_length=1, max_length=80)] | Said

LARGEST_SIZE = 4096
MOST_NUMBERS = 2**26
"""That the inputs and results of a case may hold together: 256 MB in float32."""

# `words` is replaced in `author/schema.py` by what the vocabulary offers.
InputWord = Annotated[dict[str, Any], WithJsonSchema({"words": "inputs"})]
CheckWord = Annotated[Any, WithJsonSchema({"words": "checks"})]
QuestionWord = Annotated[dict[str, Any], WithJsonSchema({"words": "questions"})]

SIZE_SCHEMA: dict[str, Any] = {
    "description": "The size of an axis, or [low, high] to draw it from.",
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": LARGEST_SIZE},
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": LARGEST_SIZE},
            "minItems": 2,
            "maxItems": 2,
        },
    ],
}


class LimitsFile(Kind):
    """What the learner's process may use. CPU seconds decide; wall time may be ten times that."""

    import_seconds: float = Field(Limits.import_seconds, gt=0, le=120, description="CPU seconds to load the file")
    call_seconds: float = Field(Limits.call_seconds, gt=0, le=120, description="CPU seconds of one call")
    total_seconds: float = Field(Limits.total_seconds, gt=0, le=1800, description="CPU seconds of the whole submission")
    memory_mb: int = Field(Limits.memory_mb, ge=64, le=65_536, description="memory above what the warm process uses")
    printed_kb: int = Field(Limits.printed_kb, ge=0, le=1024, description="how much of what the learner prints is kept")


class CaseFile(Kind):
    """One situation. Every further key is an axis and its size, or [low, high] to draw the size from."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        json_schema_extra={"additionalProperties": SIZE_SCHEMA},
    )

    name: CaseName = Field(
        description="unique in the exercise; learners see it, in their language where it has several"
    )
    hidden: bool = Field(False, description="drawn from the course's secret; learners see its name only")
    weight: float = Field(1.0, gt=0, le=1000, description="its share of the points, beside the other cases")
    omit: tuple[Name, ...] = Field((), description="parameters with a default that are not passed")
    raises: Name | None = Field(None, description="the class of the exception that is expected instead of a result")
    inputs: dict[str, InputWord] = Field({}, description="replaces inputs of the exercise (or of `call`) by name")
    build: dict[str, InputWord] = Field({}, description="replaces arguments that the module is built from")
    state: dict[str, InputWord] = Field({}, description="replaces parameters that the module is loaded with")


class FingerprintFile(Kind):
    """Which argument plays which role, so that facts can be read off the weights where no known mistake fits."""

    query: Name
    key: Name
    mask: Name | None = None
    weights: Name | None = Field(None, description="the result that holds the weights")
    value: Name | None = Field(None, description="else: where this argument is the identity, the result is the weights")


class ExerciseFile(Kind):
    """An exercise: a function of named arrays, what goes in, and what is checked. The answer is in `reference_impl`."""

    title: Said = Field(description="shown in lists")
    points: Points
    prompt: Said = Field(description="what the learner reads, in Markdown")
    signature: str = Field(
        min_length=1,
        max_length=400,
        description="`attention(query, key, value, mask=None)`; of a module what it is built from: `Attention(d_model)`",
    )
    forward: str | None = Field(None, max_length=400, description="of a module: `forward(x, mask=None)`")
    reference: Name = Field(description="the function of reference_impl that gives the answer")
    inputs: dict[str, InputWord] | None = Field(None, description="how each parameter of a function is drawn")
    build: dict[str, InputWord] | None = Field(None, description="of a module: what it is built from, by name")
    state: dict[str, InputWord] = Field({}, description="of a module: its parameters, as named in the state dict")
    call: dict[str, InputWord] | None = Field(None, description="of a module: how each parameter of forward is drawn")
    returns: Axes | Annotated[dict[Name, Axes | Literal["sizes"]], Field(min_length=1)] | Literal["sizes"] = Field(
        description="the axes of the result in order, `sizes` for a tuple of whole numbers, or several results by name"
    )
    cases: tuple[CaseFile, ...] = Field(min_length=1, max_length=200)
    checks: tuple[CheckWord, ...] = Field(min_length=1, description="what is checked in every case")
    catches: tuple[str | Annotated[tuple[str, ...], Field(min_length=2)], ...] = Field(
        (),
        description="ids of reference_impl/mistakes.yaml that this exercise catches and names; [a, b] where two are one function here",
    )
    fingerprint: FingerprintFile | None = Field(None, description="where the weights show, for facts about them")
    hints: tuple[Said, ...] = Field((), description="given one at a time")
    limits: LimitsFile = Field(default_factory=lambda: LimitsFile.model_validate({}))


class QuestionFile(Kind):
    """What every question has; further keys belong to its kind."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)

    id: Slug = Field(description="unique in the quiz; answer sheets use it")
    kind: str
    points: Points
    prompt: Said = Field(description="what the learner reads, in Markdown")
    hints: tuple[Said, ...] = Field((), description="given one at a time")
    explanation: Said | None = Field(None, description="shown once the answer is right")
    group: str = Field("", description="parts of one question share a group")
    practises: Slug | None = Field(None, description="the exercise that practises this")
    varies: Varies | None = Field(None, description="how the numbers vary from learner to learner")


class QuizFile(Kind):
    """A quiz: questions in order. A graded quiz keeps its keys from learners."""

    title: Said = Field(description="shown in lists")
    intro: Said = Field(description="read before the first question, in Markdown")
    graded: bool = False
    tries: int | None = Field(
        None, ge=1, le=9, description="wrong answers to a question before it is closed; any number unless given"
    )
    questions: tuple[QuestionWord, ...] = Field(min_length=1, max_length=200)


class ErrorFile(Kind):
    """An exception that gives a mistake away."""

    type: Name = Field(description="the class of the exception")
    text: str = Field(min_length=1, max_length=200, description="a regular expression that its text contains")


class MistakeFile(Kind):
    """What is said of a mistake; its steps are in reference_impl."""

    codes: tuple[Annotated[str, Field(pattern=r"^[A-Z]{1,4}[0-9]{1,3}[a-z]?$")], ...] = Field(min_length=1)
    says: Said = Field(description="one sentence that names what the output shows")
    asks: Said = Field(description="one question that leads on")
    error: ErrorFile | None = Field(None, description="of a mistake that is known by its exception")


class ModuleFile(Kind):
    """A chapter of the course."""

    title: Said
    exercises: tuple[Slug, ...] = ()
    quizzes: tuple[Slug, ...] = ()


class SecretFile(Kind):
    """Where the judge finds the secret that hidden cases are drawn from: one of the two."""

    file: str | None = Field(None, min_length=1, description="a file of the judge")
    env: Name | None = Field(None, description="an environment variable of the judge")


class LateFile(Kind):
    """What handing in late costs."""

    up_to: str = Field(description="how late, such as `24 h` or `3 d`, the grace not counted")
    minus: float = Field(ge=0, le=100, description="percent of the points that are lost; beyond the last step all are")


class PolicyFile(Kind):
    """How points become a grade. Nothing has to be graded anew when it changes."""

    time_zone: str = Field("UTC", description="of every time here, such as `Europe/Berlin`")
    weights: dict[str, Annotated[float, Field(ge=0, le=10_000)]] = Field(
        default_factory=dict, description="what an exercise or quiz weighs; its points unless given"
    )
    due: str | dict[str, str] = Field(
        default_factory=dict, description="`2026-03-01 18:00` for everything, or by exercise and quiz"
    )
    grace: str = Field("0 min", description="how late still counts as in time, such as `15 min`")
    late: tuple[LateFile, ...] = Field((), description="steps of lateness; without any, late costs nothing")
    extensions: dict[str, str | dict[str, str]] = Field(
        default_factory=dict,
        description="by learner: more time (`3 d`) or another due date, for everything or by exercise and quiz",
    )
    attempts: Literal["best", "last", "first"] = Field("best", description="which of several submissions counts")
    bonus: tuple[Slug, ...] = Field((), description="what can only add to the score")
    at_most: float | None = Field(None, ge=100, le=1000, description="percent of the total that a bonus can lead to")
    thresholds: dict[str, Annotated[float, Field(ge=0, le=1000)]] = Field(
        default_factory=dict, description="grades and the percent that each needs, such as `A: 90`"
    )
    assigned: dict[str, tuple[Slug, ...]] = Field(
        default_factory=dict,
        description="by learner: all that is asked of them; everything, of those who are not named",
    )
    variants: SecretFile | None = Field(
        None, description="where the secret lies that gives each learner numbers of their own in graded quizzes"
    )


class CourseFile(Kind):
    """A course: its chapters, and what learners may import beyond torch, numpy and the standard library."""

    title: Said
    modules: tuple[ModuleFile, ...] = Field(min_length=1)
    preload: tuple[Annotated[str, Field(pattern=MODULE)], ...] = Field(
        (), description="modules that learners may import"
    )
    arrays: Literal["torch", "numpy"] = Field(
        "torch", description="what learners' functions and the reference take and return"
    )
    secret: SecretFile | None = None
    policy: PolicyFile | None = Field(None, description="due dates, weights, and what counts")


class AnswersFile(Kind):
    """An answer sheet: the answers to a quiz by question id. What is left empty is not answered."""

    quiz: Slug | None = Field(None, description="the quiz; the name of the file tells where it is missing")
    draw: int = Field(0, ge=0, le=999_999, description="which draw of the questions that vary")
    tries: dict[str, int] = Field(default_factory=dict, description="tries used up, by question id")
    answers: dict[str, Any]
