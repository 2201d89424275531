"""Reports made by hand, one for each situation that a format must be able to show."""

from __future__ import annotations

import numpy as np

from grader.model import (
    Course,
    Diagnosis,
    Example,
    Isolation,
    Module,
    Outcome,
    Panel,
    Report,
    Result,
    Tensor,
    Verdict,
    message,
)
from grader.stages.progress import in_course
from grader.stages.report import build_report

BEST = Isolation("best", ("own process", "resource limits"))
TITLE = {"en": "Masked attention", "zh": "带掩码的注意力"}
SECRET = "hidden-value-0.4711"

PANEL = Panel(
    title="weights",
    axes=("T", "S"),
    at="B=0, H=1",
    got=((0.58, 0.42, 0.0), (0.1, 0.6, 0.3), (0.25, 0.25, 0.5)),
    expected=((0.55, 0.45, 0.0), (0.2, 0.5, 0.3), (0.25, 0.25, 0.5)),
    wrong=((True, True, False), (True, True, False), (False, False, False)),
    row_sums=True,
    masked=((False, False, True), (False, False, False), (False, False, False)),
)
SIGNED = Panel(
    title="output",
    axes=("T", "E"),
    at="B=0",
    got=((-1.25, 0.5, 3.0), (float("nan"), -0.0, 1e6)),
    expected=((-1.25, 0.5, -3.0), (0.1, 0.0, 1.0)),
    wrong=((False, False, True), (True, False, True)),
)

PROMPT = {
    "en": "Return $\\operatorname{softmax}(QK^\\top/\\sqrt{d_k})V$.\n\n    weights = softmax(scores)\n\n- q: a tensor\n- <b>k</b>\n",
    "zh": "返回 $\\operatorname{softmax}(QK^\\top/\\sqrt{d_k})V$。\n",
}
HINTS = ({"en": "Look at $\\sqrt{d_k}$.", "zh": "看看 $\\sqrt{d_k}$。"},)

UNSCALED = Diagnosis(
    ("unscaled",),
    ("SC1", "SC2"),
    3,
    3,
    ({"en": "The scores were not divided by √d_k.", "zh": "分数没有除以 √d_k。"},),
    ({"en": "How does the variance of q·k grow with d_k?", "zh": "q·k 的方差随 d_k 如何增长？"},),
)


def small() -> Example:
    """An example as the expect stage makes it: tensors, whole numbers and tuples."""
    arguments = {
        "query": Tensor("float32", np.array([[-1.0, 0.5]], dtype=np.float32)),
        "mask": Tensor("bool", np.array([[True, False]])),
        "d_k": 2,
        "shape": (3,),
    }
    got, right = (Tensor("float64", np.array([[first, 1 - first]])) for first in (0.88, 0.8))
    return Example(arguments, {"weights": got}, {"weights": right})


def passed() -> Result:
    outcomes = (
        Outcome("one head", "contract", Verdict.PASSED),
        Outcome("one head", "values", Verdict.PASSED, points=5, max_points=5),
        Outcome(
            "one head",
            "low_precision",
            Verdict.FAILED,
            message=message("fails on {dtype} inputs", dtype="float16"),
            remark=True,
        ),
        Outcome("long", "values", Verdict.PASSED, hidden=True, points=5, max_points=5),
    )
    headline = message("Correct: every case passes ({visible} visible, {hidden} hidden).", visible=1, hidden=1)
    next_step = message("Next: {title}. Read it with `grader show {slug}`.", title=TITLE, slug="causal_mask")
    return Result(
        "exercise", "attention", TITLE, Verdict.PASSED, 10, 10, outcomes, (), headline, next_step, path="attention.py"
    )


def failed() -> Result:
    values = message("{text} (by {difference})", text="9 of 12 values differ", difference="0.1")
    outcomes = (
        Outcome("one head", "contract", Verdict.PASSED),
        Outcome("one head", "values", Verdict.PASSED, points=2.5, max_points=2.5),
        Outcome("two heads", "contract", Verdict.PASSED),
        Outcome("two heads", "values", Verdict.FAILED, max_points=2.5, message=values, panels=(PANEL, SIGNED)),
        Outcome("two heads", "gradients", Verdict.SKIPPED),
        Outcome("broad", "shape", Verdict.FAILED, max_points=2.5, message=message("got (B, T, E), expected (B, T, D)")),
        # The message is there to prove that no format prints it.
        Outcome(
            "long", "values", Verdict.FAILED, hidden=True, max_points=2.5, message=message(SECRET), panels=(PANEL,)
        ),
    )
    details = (
        message("In all {total} cases your code gives exactly what this mistake gives.", total=3),
        message('Case "{case}": {what}', case="two heads", what=values),
    )
    return Result(
        "exercise", "attention", TITLE, Verdict.FAILED, 2.5, 10, outcomes, (UNSCALED,), UNSCALED.says[0], UNSCALED.asks[0], details,
        printed="scores tensor([[1., 2.]])\nhello\n", path="attention.py", prompt=PROMPT, hints=HINTS,
        example=small(),
    )  # fmt: skip


def errored() -> Result:
    headline = message("Python cannot read line {line} of your file: {text}", line=3, text="'(' was never closed")
    return Result(
        "exercise", "causal_mask", {"en": "Causal mask", "zh": "因果掩码"}, Verdict.ERRORED, 0, 5, (), (), headline,
        message("Mend it, then run the check again."), (), ((3, "", "    return torch.tril(torch.ones(n_q, n_k"),), column=22,
        path="work/causal_mask.py",
    )  # fmt: skip


def timed_out() -> Result:
    text = message("it did not finish within {seconds:g} seconds.", seconds=5.0)
    outcomes = (
        Outcome("small", "contract", Verdict.TIMED_OUT, max_points=4, message=text),
        Outcome("large", "contract", Verdict.SKIPPED, max_points=4, message=message("not reached")),
    )
    headline = message('Case "{case}": {what}', case="small", what=text)
    return Result(
        "exercise", "scale_scores", {"en": "Scale", "zh": "缩放"}, Verdict.TIMED_OUT, 0, 8, outcomes, (), headline
    )


def quiz() -> Result:
    outcomes = (
        Outcome("1a", "number", Verdict.PASSED, points=2, max_points=2),
        Outcome(
            "1b",
            "shape",
            Verdict.FAILED,
            points=1,
            max_points=3,
            message={"en": "The last axis follows d_v.", "zh": "最后一个轴跟随 d_v。"},
            prompt={"en": "Which shape has $QK^\\top$?", "zh": "$QK^\\top$ 的形状是什么？"},
        ),
        Outcome("1c", "text", Verdict.NOT_JUDGED, max_points=4),
    )
    headline = message("{right} of {all} answers that the machine judges are right.", right=1, all=2)
    return Result("quiz", "self_test", {"en": "Self-test", "zh": "自测"}, Verdict.FAILED, 3, 5, outcomes, (), headline)


def absent() -> Result:
    headline = message("No file was handed in for this exercise.")
    return Result(
        "exercise",
        "output_shapes",
        {"en": "Output shapes", "zh": "输出形状"},
        Verdict.NOT_SUBMITTED,
        0,
        5,
        headline=headline,
    )


def ours() -> Result:
    headline = message("This could not be graded, and that is not your fault: no points were lost.")
    return Result(
        "exercise", "softmax", {"en": "Softmax", "zh": "Softmax"}, Verdict.GRADER_ERROR, 0, 0, headline=headline
    )


COURSE = Course(
    "",
    {"en": "Attention from the ground up", "zh": "从零实现注意力"},
    (
        Module({"en": "The pieces", "zh": "基本部件"}, ("scale_scores", "causal_mask", "output_shapes")),
        Module({"en": "Attention", "zh": "注意力"}, ("attention", "softmax"), ("self_test",)),
        Module({"en": "Later", "zh": "以后"}, ("heads",)),
    ),
    (),
    {},
    {},
)


EVIL = (
    "\x1b[31mred\x1b[0m<script>alert(1)</script>**bold**|`tick` ```fence\u202eevil\u2066\x00\x9b2J&amp;"
    "]]>\n::set-output name=x::1\n##[group]x\r\n::error::no [link](http://x.test) ![i](https://x.test/i.png) \ud800"
)


def hostile() -> Result:
    """Every field that could hold learner text holds all of it."""
    panel = Panel(EVIL, (EVIL, EVIL), EVIL, ((1.0,),), ((2.0,),), ((True,),))
    outcomes = (
        Outcome(EVIL, "values", Verdict.FAILED, max_points=1, message=message("got {x}", x=EVIL), panels=(panel,)),
    )
    return Result(
        "exercise", EVIL, {"en": EVIL, "zh": EVIL}, Verdict.FAILED, 0, 1, outcomes,
        (Diagnosis((EVIL,), ("X",), 1, 1, ({"en": EVIL, "zh": EVIL},), ({"en": EVIL, "zh": EVIL},)),) * 2,
        message("{x}", x=EVIL), message("{x}", x=EVIL), (message("{x}", x=EVIL),), ((1, EVIL, EVIL),),
        column=5, printed=EVIL, printed_cut=True, path=EVIL,
    )  # fmt: skip


def report(*results: Result, isolation: Isolation = BEST) -> Report:
    return build_report(results, isolation, "cpu", 0)


def folder() -> Report:
    return report(passed(), failed(), errored(), timed_out(), quiz(), absent(), ours())


def course_page() -> Report:
    """A folder graded against its course, one result an exercise."""
    return in_course(report(timed_out(), errored(), absent(), passed(), ours(), quiz()), COURSE)
