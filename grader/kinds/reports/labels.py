"""The fixed words of a report: verdicts, checks, headings. Each is a message, said in the reader's language by the view."""

from __future__ import annotations

from grader.model import Message, Verdict, message

VERDICTS: dict[Verdict, tuple[str, str, Message]] = {
    # mark, ink of the terminal and of the page, name
    Verdict.PASSED: ("✓", "green", message("passed")),
    Verdict.FAILED: ("✗", "red", message("failed")),
    Verdict.ERRORED: ("✗", "red", message("exception")),
    Verdict.TIMED_OUT: ("✗", "red", message("time-out")),
    Verdict.OUT_OF_MEMORY: ("✗", "red", message("out of memory")),
    Verdict.CRASHED: ("✗", "red", message("process ended")),
    Verdict.SKIPPED: ("-", "dim", message("not run")),
    Verdict.NOT_JUDGED: ("?", "yellow", message("waits for a person")),
    Verdict.NOT_SUBMITTED: ("○", "dim", message("not handed in")),
    Verdict.GRADER_ERROR: ("!", "yellow", message("not graded")),
}

CHECKS: dict[str, Message] = {
    "contract": message("the call"),
    "shape": message("shape"),
    "dtype": message("dtype"),
    "finite": message("finite numbers"),
    "values": message("values"),
    "inputs_unchanged": message("inputs left unchanged"),
    "rows_sum_to_one": message("rows add up to 1"),
    "no_future_leak": message("no look into the future"),
    "batch_independence": message("samples kept apart"),
    "key_order": message("order of the keys"),
    "padding_invariance": message("padding without effect"),
    "gradients": message("gradients"),
    "low_precision": message("low precision"),
    "device": message("device"),
}
"""Names of the checks in prose; a word that is not here stands for itself."""

WORDS: dict[str, Message] = {
    "report": message("Report"),
    "overview": message("Overview"),
    "task": message("Task"),
    "result": message("Result"),
    "points": message("Points"),
    "total": message("Total"),
    "cases": message("Cases"),
    "questions": message("Questions"),
    "case": message("Case"),
    "question": message("Question"),
    "finding": message("Finding"),
    "hidden": message("hidden"),
    "unanswered": message("not answered"),
    "not_started": message("not started"),
    "wrong": message("answered wrongly"),
    "unreadable": message("cannot be read"),
    "syntax_error": message("syntax error"),
    "got": message("got"),
    "expected": message("expected"),
    "sum": message("row sum"),
    "all_differ": message("every number differs by more than is allowed"),
    "masked": message("masked"),
    "masked_legend": message("· masked: weight 0"),
    "differs": message("differs"),
    "first": message("first difference"),
    "legend": message("* differs by more than is allowed"),
    "code": message("Your code"),
    "printed": message("Printed by your code"),
    "cut": message("… the rest of what was printed is not shown"),
    "remarks": message("Remarks (no points)"),
    "next": message("Next step"),
    "more": message("More about one of them: `grader check FILE`"),
    "example": message("A small example"),
    "asked": message("What was asked"),
    "hint": message("Hint"),
    "progress": message("Progress"),
    "learnt": message("Learnt so far"),
    "rows": message("rows"),
    "columns": message("columns"),
    "how": message("How this was graded"),
}
