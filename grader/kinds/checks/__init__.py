"""Check kinds: one property of what the learner's function returned, one rung of the ladder.

To add a check, add one class to a file of this folder. `calls` says which further calls it needs, `judge` what they
show. The first rung that fails on a case speaks; the rungs order what is said, not what is run.
"""

from grader.kinds.checks import gradients, modules, properties, values
from grader.kinds.checks.gradients import cast, recast
from grader.kinds.checks.ladder import ATOL, CHECKS, RTOL, Ask, CheckKind, Extra, Finding, Rung, Seen, check

__all__ = [
    "ATOL",
    "CHECKS",
    "RTOL",
    "Ask",
    "CheckKind",
    "Extra",
    "Finding",
    "Rung",
    "Seen",
    "cast",
    "check",
    "gradients",
    "modules",
    "properties",
    "recast",
    "values",
]
