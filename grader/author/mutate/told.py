"""What a search found in, lines of text, or a JSON report, out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from grader.author.mutate import Search, Survivor
from grader.author.mutate.allowed import MAY_PASS
from grader.author.mutate.fresh import as_yaml
from grader.locale import say
from grader.model import Message, message

LEFT_OPEN = message(
    "If the prompt leaves one of them open, say so in {file}: {entry}",
    file=MAY_PASS,
    entry="NAME: {functions: [FUNCTION], after: [PART OF THE NEW LINE], why: {en: …, zh: …}}",
)


def lines(found: Search, lang: str) -> Iterator[str]:
    """Yield the search of one exercise as lines: the figures, then each wrong answer that passes."""
    yield f"  {'✗' if found.hollow else '✓'} {say(_figures(found), lang)}"
    for survivor in found.hollow:
        mutant, shown = survivor.mutant, survivor.shown
        yield f"  ✗ {mutant.file}:{mutant.line}: {mutant.function}"
        yield f"      - {mutant.before}"
        yield f"      + {mutant.after}"
        yield f"      {say(_shows(survivor), lang)}"
        yield f"      {say(shown.what, lang)}"
        yield f"      {say(_remedy(survivor), lang)}"
        yield f"        - {as_yaml(shown.fresh.case)}"
    if found.hollow:
        yield f"  {say(LEFT_OPEN, lang)}"


def _figures(found: Search) -> Message:
    return message(
        "{tried} wrong answers: {caught} caught, {equal} equal to the reference, {may} that may pass, {holes} that pass",
        tried=found.tried,
        caught=found.caught,
        equal=found.equal,
        may=len(found.survivors) - len(found.hollow),
        holes=len(found.hollow),
    )


def _shows(survivor: Survivor) -> Message:
    return message(
        "gets full marks, and differs in {differs} of {of} fresh cases, for one like {case}:",
        differs=survivor.shown.differs,
        of=survivor.shown.of,
        case=survivor.shown.fresh.of,
    )


def _remedy(survivor: Survivor) -> Message:
    if survivor.shown.catches:
        return message("This case catches it, once it stands among the `cases`:")
    return message(
        "It showed in a case like this one, but with other numbers: added, this one would not catch it. "
        "Give it other sizes or numbers until it does:"
    )


def total(found: Sequence[Search], lang: str) -> str:
    """Return what came of all searches as one line."""
    holes = sum(len(each.hollow) for each in found)
    text = message(
        "{tried} wrong answers to {count} exercises; {holes} pass.",
        tried=sum(each.tried for each in found),
        count=len(found),
        holes=holes,
    )
    return say(text, lang)


def as_text(found: Sequence[Search], lang: str) -> str:
    """Return all of it as text."""
    rows = [row for each in found for row in (each.slug, *lines(each, lang))]
    return "\n".join([*rows, total(found, lang)]) + "\n"


def as_json(found: Sequence[Search], lang: str) -> str:
    """Return all of it as JSON, format 1."""
    report = {"format": 1, "exercises": [_search(each, lang) for each in found]}
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def _search(found: Search, lang: str) -> dict[str, Any]:
    figures = {name: getattr(found, name) for name in ("slug", "tried", "caught", "stopped", "equal")}
    return {
        **figures,
        "may_pass": len(found.survivors) - len(found.hollow),
        "passes": len(found.hollow),
        "survivors": [_survivor(each, lang) for each in found.survivors],
    }


def _survivor(survivor: Survivor, lang: str) -> dict[str, Any]:
    mutant, shown = survivor.mutant, survivor.shown
    return {
        **{name: getattr(mutant, name) for name in ("file", "line", "function", "before", "after")},
        "mistakes": list(mutant.mistakes),
        "shows": say(shown.what, lang),
        "differs": shown.differs,
        "of": shown.of,
        "case": as_yaml(shown.fresh.case),
        "catches": shown.catches,
        "like": shown.fresh.of,
        "seed": shown.fresh.seed,
        "why": say(survivor.why, lang) if survivor.why else None,
    }
