"""A course in, a page out: each known mistake by its code, the exercises that catch it, and why no exercise can, where none does."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from grader.locale import say
from grader.model import Course, Mistake, Text, message
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.text import read_text

NOT_SHOWN = "reference_impl/not_shown.yaml"


def mistakes_page(course: Course, mistakes: Mapping[str, Mistake], lang: str = "en") -> str:
    """Return the page as Markdown."""
    catching = _catching(course)
    reasons = load_reasons(Path(course.root))
    by_code: dict[str, list[Mistake]] = defaultdict(list)
    for mistake in mistakes.values():
        for code in mistake.codes:
            by_code[code].append(mistake)
    header = [message("code"), message("mistake"), message("caught in"), message("or why not")]
    lines = [
        f"# {say(message('Known mistakes'), lang)}",
        "",
        "| " + " | ".join(say(title, lang) for title in header) + " |",
        "| --- | --- | --- | --- |",
    ]
    for code in sorted({*by_code, *reasons}, key=_order):
        for mistake in by_code.get(code, []):
            caught = ", ".join(f"`{slug}`" for slug in catching.get(mistake.id, []))
            why = say(reasons[code], lang) if not caught and code in reasons else ""
            lines.append(f"| {code} | `{mistake.id}`: {say(mistake.says, lang)} | {caught} | {why} |")
        if code not in by_code:
            lines.append(f"| {code} | | | {say(reasons[code], lang)} |")
    return "\n".join(lines) + "\n"


def load_reasons(root: Path) -> dict[str, Text]:
    """Return why a code shows in no exercise, by code."""
    path = root / NOT_SHOWN
    return dict(read_yaml(read_text(path, NOT_SHOWN), NOT_SHOWN).data) if os.path.lexists(path) else {}


def _catching(course: Course) -> dict[str, list[str]]:
    """The exercises that promise to catch each mistake, by value or by the check that names it."""
    found: dict[str, list[str]] = defaultdict(list)
    for slug, exercise in course.exercises.items():
        named = [getattr(check, "names", "") for check in exercise.checks]
        for mistake in dict.fromkeys([*(m for group in exercise.catches for m in group), *filter(None, named)]):
            found[mistake].append(slug)
    return found


def _order(code: str) -> tuple[str, int]:
    letters = re.match(r"[A-Z]+", code)
    return (letters[0] if letters else code, int(re.sub(r"\D", "", code) or 0))
