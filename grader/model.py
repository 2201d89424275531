"""The nouns that every stage speaks in: frozen data, no I/O, no numpy or torch at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

LANGUAGES = ("en", "zh")

Text = Mapping[str, str]
"""Content written by an author: one string for each language, `{"en": …, "zh": …}`."""


@dataclass(frozen=True)
class Message:
    """An interface text that is not yet in any language: a gettext template and its fields.

    Fields may be messages or texts themselves. `grader.locale.say` turns a message into a string.
    """

    template: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def message(template: str, **fields: Any) -> Message:
    """Return a message; `make catalogue` finds its template by the name of this function."""
    return Message(template, fields)


Sayable = Message | Text


class Verdict(str, Enum):
    """What became of a case, an exercise or a question. The value is what machine formats print."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"  # the learner's exception
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"  # killed by a signal, or left without saying so
    SKIPPED = "skipped"
    NOT_JUDGED = "not_judged"  # waits for a person, or its key is not here
    NOT_SUBMITTED = "not_submitted"
    GRADER_ERROR = "grader_error"  # our fault: never a zero


class AuthorError(Exception):
    """A course file that its author can fix. `problems` are lines `file:line:col: path: message`."""

    def __init__(self, problems: Sequence[str]):
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class GraderError(Exception):
    """Something of ours failed. It ends as `grader_error` and exit code 3, never as a learner's zero."""


class IsolationUnavailable(Exception):
    """The isolation that was demanded cannot be had here; `why` says what is missing and what helps."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


# ---------------------------------------------------------------- values that cross the sandbox


@dataclass(frozen=True, eq=False)
class Tensor:
    """A dense tensor as numpy data.

    `dtype` is torch's name ("float32", "bfloat16", "bool", …). bfloat16 and float8 are widened to float32 in `array`,
    complex64 is complex64; every other dtype is numpy's own.
    """

    dtype: str
    array: np.ndarray[Any, Any]
    device: str = "cpu"

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)


@dataclass(frozen=True)
class Device:
    """A torch device by name, such as `cpu` or `cuda:0`."""

    name: str


@dataclass(frozen=True)
class Unsupported:
    """A value that cannot travel. `what` names it in the learner's words: "a sparse tensor", "a generator"."""

    what: str


Value = Any
"""Tensor | Device | Unsupported | None | bool | int | float | complex | str | tuple | list | dict[str, Value]."""


# ---------------------------------------------------------------- exercises


@dataclass(frozen=True)
class Parameter:
    """One parameter of the learner's function, as the signature in the exercise states it."""

    name: str
    default: str | None = None  # source of the default, None when required


@dataclass(frozen=True)
class Signature:
    """`attention(query, key, value, mask=None)`."""

    name: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self._written())})"

    def as_method(self, name: str) -> str:
        """`forward(self, x)`: the same parameters of a method."""
        return f"{name}({', '.join(('self', *self._written()))})"

    def _written(self) -> tuple[str, ...]:
        return tuple(p.name if p.default is None else f"{p.name}={p.default}" for p in self.parameters)


class Input(Protocol):
    """An input kind (`kinds/inputs.py`): how an argument is drawn from the case's axis sizes."""

    @property
    def axes(self) -> tuple[str, ...]: ...

    def draw(self, sizes: Mapping[str, int], rng: np.random.Generator) -> Value: ...


class Check(Protocol):
    """A check kind (`kinds/checks.py`): one property, one rung of the ladder."""

    @property
    def word(self) -> str: ...


TORCH, NUMPY = "torch", "numpy"
"""What the arrays of a course are: what its learners' functions and its reference take and return."""

EVAL, TRAIN = "eval", "train"
"""The two modes of a module."""


@dataclass(frozen=True)
class ModuleSpec:
    """How a submitted class is built, loaded and called: named arguments, parameters by name, and `forward`."""

    forward: Signature
    build: Mapping[str, Input]
    state: Mapping[str, Input]  # the parameters that the prompt promises, by their names in the state dict


@dataclass(frozen=True)
class Case:
    """One situation. `sizes` gives each axis a number, or a range `(low, high)` to draw it from."""

    name: str
    sizes: Mapping[str, int | tuple[int, int]]
    hidden: bool = False
    weight: float = 1.0
    omit: frozenset[str] = frozenset()
    raises: str | None = None
    inputs: Mapping[str, Input] = field(default_factory=dict)  # replaces inputs of the exercise by name
    build: Mapping[str, Input] = field(default_factory=dict)  # of a module, likewise
    state: Mapping[str, Input] = field(default_factory=dict)
    says: Text | None = None  # the name as learners read it; `name` tells cases apart

    @property
    def shown(self) -> Text | str:
        """The name in each language, or the one name that there is."""
        return self.says or self.name


@dataclass(frozen=True)
class Limits:
    """What the learner's process may use. CPU seconds decide; wall time is ten times that."""

    import_seconds: float = 10.0
    call_seconds: float = 5.0
    total_seconds: float = 60.0
    memory_mb: int = 2048  # above what the warm process uses
    printed_kb: int = 64  # kept of what the learner prints
    wall_factor: float = 10.0


SIZES = "sizes"

Returned = tuple[str | int, ...] | str
"""One result: the axis names of a tensor in order (`()` is a scalar), or SIZES for a tuple of whole numbers."""


@dataclass(frozen=True)
class Fingerprint:
    """Which argument plays which role, so that facts can be read off the weights where no known mistake fits.

    `weights` is the result that holds them; with a `value`, the weights are what comes out where that argument is the identity.
    """

    query: str
    key: str
    weights: str = ""
    value: str = ""
    mask: str = ""

    @property
    def weights_are_returned(self) -> bool:
        """Whether a result holds the weights in every case."""
        return not self.value


@dataclass(frozen=True)
class Exercise:
    """One exercise file, checked and frozen."""

    slug: str
    title: Text
    points: float
    prompt: Text
    signature: Signature
    reference: str
    inputs: Mapping[str, Input]
    returns: Mapping[str, Returned]  # result name -> what it is, in order; the single name "" is an unnamed result
    cases: tuple[Case, ...]
    checks: tuple[Check, ...]
    catches: tuple[tuple[str, ...], ...]  # groups of mistakes that are one function here, most of them of one
    hints: tuple[Text, ...] = ()
    limits: Limits = Limits()
    file: str = ""
    module: str = ""  # the course module it belongs to
    fingerprint: Fingerprint | None = None
    builds: ModuleSpec | None = None  # set where the submission is a class; `inputs` are then those of `forward`
    elsewhere: tuple[float, ...] = ()  # in a learner's copy: the weights of the hidden cases, which only the judge has
    arrays: str = TORCH  # as the course says

    @property
    def call_signature(self) -> Signature:
        """What the inputs are passed to: the function, or the module's `forward`."""
        return self.signature if self.builds is None else self.builds.forward

    @property
    def points_here(self) -> float:
        """The points of the cases that are here; those of cases elsewhere are earned where they are judged."""
        here = sum(case.weight for case in self.cases)
        return self.points * here / (here + sum(self.elsewhere)) if self.elsewhere else self.points

    @property
    def definition(self) -> tuple[str, ...]:
        """The lines that define what is asked for: a function, or a class with its two methods."""
        if self.builds is None:
            return (f"def {self.signature}:",)
        methods = (self.signature.as_method("__init__"), self.builds.forward.as_method("forward"))
        return (f"class {self.signature.name}(nn.Module):", *(f"    def {method}:" for method in methods))

    @property
    def many_results(self) -> bool:
        """Whether the function returns a tuple of named results rather than one."""
        return "" not in self.returns


# ---------------------------------------------------------------- submissions, plans, observations


@dataclass(frozen=True)
class Submission:
    """What a learner handed in, read once into memory. `problem` says why it could not be read.

    Of a notebook, `cells` holds (cell, line in it) for each line of `source`, and `remarks` what was noticed on the way.
    """

    path: str  # as the user wrote it: what messages show
    slug: str | None
    source: bytes = b""
    problem: Message | None = None
    cells: tuple[tuple[int, int], ...] = ()
    remarks: tuple[Message, ...] = ()


@dataclass(frozen=True)
class ResultOf:
    """An argument that is a result of an earlier call of the same run: the learner's own, never the reference's."""

    call: str
    result: str = ""  # which of several results; "" for the only one


@dataclass(frozen=True, eq=False)
class Built:
    """The module that a call is made on: built anew from named arguments, loaded, and put into a mode."""

    arguments: Mapping[str, Value]
    state: Mapping[str, Tensor]
    dtype: str = "float32"  # what the module is converted to before its state is loaded
    mode: str = EVAL


@dataclass(frozen=True)
class Call:
    """One call of the learner's function, or of a module that is built for it.

    `purpose` is "graded", "diagnosis" (float64) or the word of the check that asked for it; `variant` tells its calls
    apart. With a `cotangent`, one tensor for each tensor of the result, the child also returns the gradient of
    sum(result * cotangent) for the arguments in `gradients_of`.
    """

    id: str
    case: str
    purpose: str
    arguments: Mapping[str, Value]
    variant: str = ""
    hidden: bool = False
    cotangent: tuple[Tensor, ...] = ()
    gradients_of: tuple[str, ...] = ()  # arguments, and parameters of a module by their names in the state dict
    built: Built | None = None
    warm_up: Mapping[str, Value] | None = None  # an earlier call on the same function or module; its result is dropped
    repeat: int = 1  # with more than one, the value is a list of the results of equal calls on one module
    facts: bool = False  # whether the child tells how the module is made


@dataclass(frozen=True, eq=False)
class DrawnCase:
    """A case with its sizes and arguments drawn.

    `axes` names the axes of each tensor argument, `returns` those of each result here.
    """

    case: Case
    sizes: Mapping[str, int]
    arguments: Mapping[str, Value]
    axes: Mapping[str, tuple[str | int, ...]]
    returns: Mapping[str, Returned]
    built: Built | None = None


@dataclass(frozen=True)
class Plan:
    """Every call that grading an exercise needs, open ones before hidden ones, and the cases that they come from."""

    exercise: Exercise
    cases: tuple[DrawnCase, ...]
    calls: tuple[Call, ...]
    seed: int
    device: str
    rng_seed: int  # what the child seeds random, numpy and torch with; tells nothing about hidden inputs
    asks: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """By (case, word of a check): the further calls that it asks for, by variant. A check that does not apply to a case is not there."""


@dataclass(frozen=True)
class Fault:
    """An exception in the learner's code, as the child tells it (a claim).

    `lines` are the learner's own frames, outermost first: (line number, function, source line).
    `kind` is "exception", "syntax", "missing", "signature", "not_callable", "import", "exit", or one of these: "state", a
    promised parameter of a module is not there or has another shape (`type` is its name, `got` its shape or "", `near` the
    names that are there); "not_module", the class gives something else than a module (`type`); "earlier", the argument `type`
    is a result of an earlier call that gave none. For "signature", `type` is "forward" where that method takes other arguments.
    """

    kind: str
    type: str = ""
    bases: tuple[str, ...] = ()  # names of the classes that the exception's class inherits from, itself first
    text: str = ""
    lines: tuple[tuple[int, str, str], ...] = ()
    column: int | None = None
    near: tuple[str, ...] = ()  # names defined in the file, for did-you-mean; allowed modules for "import"
    got: str = ""  # for "signature": what the learner's function takes


@dataclass(frozen=True)
class ModuleFacts:
    """How a module is made, as the child tells it: claims, which may cost points and never earn them."""

    parameters: Mapping[str, tuple[int, ...]]
    buffers: Mapping[str, str]  # name -> dtype
    left_behind: tuple[str, ...]  # tensors that are not on `meta` after `.to("meta")`
    halved: Mapping[str, str]  # buffers -> dtype after `.half()`


@dataclass(frozen=True)
class Observation:
    """What one call did. `verdict` is PASSED when it returned, whatever it returned."""

    call: str
    verdict: Verdict
    value: Value = None
    fault: Fault | None = None
    changed: tuple[str, ...] = ()  # arguments that the call changed (a claim: may cost, never earns)
    gradients: Mapping[str, Tensor | None] = field(default_factory=dict)
    printed: str = ""
    module: ModuleFacts | None = None


@dataclass(frozen=True)
class Isolation:
    """What held the learner's code. `level` is "strict", "best" or "none" as asked; `layers` what was in force."""

    level: str
    layers: tuple[str, ...] = ()
    keeps_answers: bool = True  # whether hidden answers were out of reach of learner code
    note: Message | None = None


@dataclass(frozen=True)
class Observations:
    """All that came back from the sandbox.

    `verdict` is PASSED when the file was loaded, otherwise what stopped it (ERRORED with `fault`, TIMED_OUT,
    OUT_OF_MEMORY, CRASHED, or GRADER_ERROR with `detail`). A call without an observation was not reached; it is never a
    success.
    """

    verdict: Verdict
    calls: Mapping[str, Observation]
    isolation: Isolation
    fault: Fault | None = None
    detail: Message | None = None  # what limit was met, which signal, or what of ours failed
    printed: str = ""  # while the file was loaded
    truncated: bool = False  # whether printed text was cut


# ---------------------------------------------------------------- expectations, outcomes, diagnoses


@dataclass(frozen=True)
class Trace:
    """What a wrong computation gives in one call: enough to recognise it, useless to copy.

    `form` is the structure of the result (kinds and shapes). `projections` are eight random projections of its finite
    numbers and `slack` how far each of them may be off. `holes` is a digest of where it is not finite. `error` is
    "ValueError: message" when it raises.
    """

    form: str
    projections: tuple[float, ...] = ()
    slack: tuple[float, float] = (0.0, 0.0)  # (float64 result, lower precision)
    holes: str = ""
    error: str | None = None


@dataclass(frozen=True)
class Expectations:
    """What the reference gives: right results in float64 and gradients by case, and traces of each mistake by call.

    `traces` has the right answer's own under `()`. A case whose reference raises has no entry in `right`. `examples` holds
    the smallest inputs found on which a mistake shows.
    """

    right: Mapping[str, Value]
    gradients: Mapping[str, Mapping[str, Tensor]]  # case -> argument -> gradient
    traces: Mapping[tuple[str, ...], Mapping[str, Trace]]  # mistake ids -> call -> trace
    examples: Mapping[tuple[str, ...], Example] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Example:
    """Small inputs of the exercise's function, with the results by name in which a mistake shows, and what they should be."""

    arguments: Mapping[str, Value]
    got: Mapping[str, Value]
    expected: Mapping[str, Value]


@dataclass(frozen=True)
class Panel:
    """A small picture of got beside expected: two axes of one result of an open case.

    `start` and `size` say which part it is when the axes are longer than the picture: where it begins, how long they are.
    """

    title: str  # the result's name, or ""
    axes: tuple[str, str]
    at: str  # where in the leading axes the panel was cut out, e.g. "B=0, H=1"
    got: tuple[tuple[float, ...], ...]
    expected: tuple[tuple[float, ...], ...]
    wrong: tuple[tuple[bool, ...], ...]  # cells that differ by more than is allowed
    row_sums: bool = False  # whether rows are meant to add up to 1
    sums: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())  # of whole rows, got and expected; else of those shown
    masked: tuple[tuple[bool, ...], ...] = ()  # cells that a mask of the case forbids
    start: tuple[int, int] = (0, 0)
    size: tuple[int, int] | None = None


@dataclass(frozen=True)
class Outcome:
    """What one check said of one case. The points of a case lie on the outcome that decided it."""

    case: str
    check: str
    verdict: Verdict
    hidden: bool = False
    points: float = 0.0
    max_points: float = 0.0
    message: Sayable | None = None
    remark: bool = False  # said, but without points
    panels: tuple[Panel, ...] = ()
    prompt: Text | None = None  # what a question of a quiz asks
    mistakes: tuple[str, ...] = ()  # known mistakes that this finding alone is enough to name
    flags: tuple[Sayable, ...] = ()  # what a person who reads this answer should look at first
    says: Text | None = None  # the name of the case as learners read it


@dataclass(frozen=True)
class Mistake:
    """A known mistake: the texts of `reference_impl/mistakes.yaml`. Its steps stay in `reference_impl`.

    One that shows as an exception has a pattern for it; one that shows as a claim is named by the check that finds it.
    """

    id: str
    codes: tuple[str, ...]
    says: Text  # one sentence that names what the output shows
    asks: Text  # one question that leads on
    error: tuple[str, str] | None = None  # class of the exception, and a regular expression for its text


@dataclass(frozen=True)
class Diagnosis:
    """A named mistake (or several that are the same function here, or a pair) with its evidence."""

    mistakes: tuple[str, ...]
    codes: tuple[str, ...]
    matched_calls: int
    of_calls: int
    says: tuple[Sayable, ...]
    asks: tuple[Sayable, ...]
    same: bool = False  # several mistakes that are one function here; otherwise several at once
    by: str = "value"  # what gave it away: a "value", an "error", or a "check" that names it


# ---------------------------------------------------------------- quizzes


class QuestionKind(Protocol):
    """A question kind (`kinds/questions/`)."""

    @property
    def word(self) -> str: ...


@dataclass(frozen=True)
class Question:
    """One question or part of a question. `spec` is the question kind with its fields filled in."""

    id: str
    points: float
    prompt: Text
    spec: QuestionKind
    hints: tuple[Text, ...] = ()
    explanation: Text | None = None
    group: str = ""  # parts of one question share a group
    practises: str | None = None  # slug of the exercise that practises it
    draws: tuple[Question, ...] = ()  # the same question with other numbers, where it varies


@dataclass(frozen=True)
class Quiz:
    """One quiz file, checked and frozen. Keys of a graded quiz never reach a learner."""

    slug: str
    title: Text
    intro: Text
    questions: tuple[Question, ...]
    graded: bool = False
    file: str = ""
    module: str = ""
    tries: int | None = None  # wrong answers to a question before it is closed; None: any number


@dataclass(frozen=True)
class Response:
    """A learner's answers to a quiz: question id -> raw answer (plain data). `problems` are lines for the learner.

    `draw` says with which numbers questions that vary were asked, `tries` how many were used up, by question id. `sheet_draw` is what
    the sheet itself says, where that is not the learner's own `draw`.
    """

    path: str
    slug: str | None
    answers: Mapping[str, Any]
    problems: tuple[Message, ...] = ()
    draw: int = 0
    tries: Mapping[str, int] = field(default_factory=dict)
    sheet_draw: int | None = None


# ---------------------------------------------------------------- reports


@dataclass(frozen=True)
class Result:
    """One exercise or quiz, graded. `headline` is the sentence that matters, `next_step` the one thing to do now."""

    kind: str  # "exercise" or "quiz"
    slug: str
    title: Text
    verdict: Verdict
    score: float
    max_score: float
    outcomes: tuple[Outcome, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    headline: Sayable | None = None
    next_step: Sayable | None = None
    details: tuple[Sayable, ...] = ()  # further facts: where an exception came from, what is allowed
    source: tuple[tuple[int, str, str], ...] = ()  # the learner's own lines that an exception passed through
    cells: tuple[int, ...] = ()  # of a notebook: the cell of each line in `source`, whose number then counts inside it
    column: int | None = None  # from 1, in the last line of `source`: where a syntax error was seen
    printed: str = ""
    printed_cut: bool = False
    path: str = ""
    prompt: Text | None = None  # what was asked, and the hints that there are
    hints: tuple[Text, ...] = ()
    line: int | None = None  # where the file defines what was asked for, found by pattern
    example: Example | None = None  # where the mistake that is named shows in small


@dataclass(frozen=True)
class Report:
    """Everything that a run says, in no language and no format yet."""

    results: tuple[Result, ...]
    score: float
    max_score: float
    isolation: Isolation
    device: str
    seed: int
    not_judged: int = 0  # outcomes that leave both score and maximum
    notes: tuple[Sayable, ...] = ()
    title: Text | None = None  # of the course, where a folder was graded against it
    modules: tuple[Module, ...] = ()
    next_step: Sayable | None = None


# ---------------------------------------------------------------- courses


@dataclass(frozen=True)
class Module:
    """A chapter of the course: a title and the slugs in it, in order."""

    title: Text
    exercises: tuple[str, ...] = ()
    quizzes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Course:
    """A course folder: exercises and quizzes in order, and what learners may import."""

    root: str
    title: Text
    modules: tuple[Module, ...]
    preload: tuple[str, ...]
    exercises: Mapping[str, Exercise]
    quizzes: Mapping[str, Quiz]
    secret_from: str | None = None  # "file:PATH" or "env:NAME" of the judge; None: the public default, for practice
    arrays: str = TORCH
