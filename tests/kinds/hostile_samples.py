"""Text that would act if it were not escaped, how it has to read instead, and a report that has it in every place."""

from __future__ import annotations

from dataclasses import replace

from report_samples import passed

from grader.model import Diagnosis, Example, Isolation, Outcome, Panel, Report, Result, Verdict, message
from grader.stages.report import build_report

PAYLOADS: dict[str, tuple[str, tuple[str, ...]]] = {
    # name: (the text, what has to be readable of it)
    "html": ("<script>alert(1)</script><img src=x onerror=alert(1)>&amp;", ("<script>alert(1)</script><img src=x onerror=alert(1)>&amp;",)),
    "attribute": ("\" onmouseover=\"alert(1)\" x='", ("\" onmouseover=\"alert(1)\" x='",)),
    "markdown": ("**bold** [link](http://x.test) ![i](http://x.test/i.png) <b>b</b>", ("**bold**", "[link](http://x.test)", "<b>b</b>")),
    "fences": ("``` ~~~ ````` `tick` | cell |", ("``` ~~~ ````` `tick` | cell |",)),
    "colours": ("\x1b[31mred\x1b[0m \x1b]8;;http://x.test\x07here \x9b2J", ("\\x1b[31mred\\x1b[0m", "\\x07", "\\x9b2J")),
    "bidi": ("user\u202e\u2066 nimda\u2069 \u200f.py", ("user\\u202e\\u2066 nimda\\u2069 \\u200f.py",)),
    "invisible": ("a\u200bb\ufeffc\u00add\U000e0041e\u2028f", ("a\\u200bb\\ufeffc\\xadd\\U000e0041e\\u2028f",)),
    "output": ("one\n::set-output name=x::1\n  ::error file=a.py::no\r\n::stop-commands::x",
               ("::set-output name=x::1", "::error file=a.py::no")),
    "first": ("::error::at the very start", ("::error::at the very start",)),
    "group": ("##[group]x ##vso[task.setvariable]y ##teamcity[z ##[error]", ("##[group]x", "##vso[task.setvariable]y", "##teamcity[z")),
    "cdata": ("]]> <![CDATA[ --> <!-- ?> &#0; &lol;", ("]]> <![CDATA[ --> <!-- ?> &#0; &lol;",)),
    "controls": ("a\x00b\x08c\x0bd\x0ce\x7ff\x85g\ud800h\ufffei\uffffj",
                 ("a\\x00b\\x08c\\x0bd\\x0ce\\x7ff\\x85g\\ud800h\\ufffei\\uffffj",)),
    "formula": ("=HYPERLINK(\"http://x.test\",\"click\")", ("=HYPERLINK(\"http://x.test\",\"click\")",)),
    "command": ("@SUM(1+1)*cmd|' /C calc'!A0", ("@SUM(1+1)*cmd|' /C calc'!A0",)),
    "braces": ("{0.__class__} {{x}} %s %(x)s ${x} {% raw %}", ("{0.__class__} {{x}} %s %(x)s ${x} {% raw %}",)),
    "long": ("y" * 10_000_000, ("yyyyyyyy",)),
}  # fmt: skip


def everywhere(payload: str) -> Report:
    """Return a report of three results that has `payload` in every place that could hold text of a learner."""
    hostile = Isolation("best", (payload,), note=message("{x}", x=payload))
    results = (_exercise(payload), _unloaded(payload), _quiz(payload))
    return build_report(results, hostile, "cpu", 0, [message("{x}", x=payload)])


def _exercise(payload: str) -> Result:
    panel = Panel(payload, (payload, payload), payload, ((1.0,),), ((2.0,),), ((True,),))
    said = message("got {x}", x=payload)
    outcomes = (
        Outcome(payload, "values", Verdict.FAILED, max_points=1, message=said, panels=(panel,)),
        Outcome("raised", "contract", Verdict.ERRORED, max_points=1, message=said),
        Outcome("half", "low_precision", Verdict.FAILED, message=said, remark=True),
    )
    named = Diagnosis(
        (payload,), (payload,), 1, 1, ({"en": payload, "zh": payload},), ({"en": payload, "zh": payload},)
    )
    return replace(
        passed(),
        example=Example({payload: payload}, {payload: payload}, {payload: "right"}),
        slug=payload,
        title={"en": payload, "zh": payload},
        verdict=Verdict.FAILED,
        score=0,
        max_score=2,
        outcomes=outcomes,
        diagnoses=(named, named),
        headline=message("{x}", x=payload),
        next_step=message("{x}", x=payload),
        details=(message("{x}", x=payload),),
        source=((1, payload, payload), (2, payload, payload)),
        column=5,
        printed=payload,
        printed_cut=True,
        path=payload,
    )


def _unloaded(payload: str) -> Result:
    whole = _exercise(payload)
    return replace(whole, verdict=Verdict.ERRORED, outcomes=(), diagnoses=())


def _quiz(payload: str) -> Result:
    said = message("got {answer}: {feedback}", answer=payload, feedback={"en": payload, "zh": payload})
    outcomes = (
        Outcome(payload, "choice", Verdict.FAILED, max_points=1, message=said),
        Outcome("right", "choice", Verdict.PASSED, points=1, max_points=1, message=said),
        Outcome("waits", "text", Verdict.NOT_JUDGED, max_points=1, message=said, flags=(said,)),
    )
    return replace(_exercise(payload), kind="quiz", outcomes=outcomes, diagnoses=(), source=(), score=1)
