"""The fixed words of a preview: headings and what stands before each report."""

from __future__ import annotations

from grader.model import Message, message

WORDS: dict[str, Message] = {
    "preview": message("Preview"),
    "points": message("Points"),
    "module": message("Module"),
    "file": message("File"),
    "reads": message("What the learner reads"),
    "starter_file": message("The file to begin with"),
    "hints": message("Hints"),
    "no_hints": message("There are none."),
    "cases": message("Cases"),
    "hidden": message("hidden"),
    "reports": message("What the learner is told"),
    "right": message("A right answer"),
    "starter": message("The untouched starter"),
    "left": message("Not shown here, for only real modules can: {words}", words="{words}"),
    "by_reference": message(
        "Each answer here is the reference, right or with one step replaced, judged as a learner's would be."
    ),
    "graded": message("Graded: learners do not have the keys."),
    "asked": message("How it is asked"),
    "example": message("Example"),
    "answer": message("Answer"),
    "said": message("What is said"),
    "practises": message("Practised in"),
    "varies": message("The numbers vary; these are those of the first draw. Frozen draws: {n}.", n="{n}"),
    "passed": message("right"),
    "failed": message("wrong"),
    "malformed": message("no answer"),
    "skipped": message("not answered"),
    "not_judged": message("waits for a person"),
    "no_key": message("No key is here: answers are judged where it is."),
    "en": message("English"),
    "zh": message("Chinese"),
}
