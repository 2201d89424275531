"""What searches found in, a Markdown page of their figures out; rows of exercises that were not searched now stay as they were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from grader.author.mutate import Search
from grader.locale import say
from grader.model import message

HOW = message(
    "Each wrong answer is the reference with one operator, axis, constant, argument, call or condition replaced, or one of its known "
    "mistakes. Caught: it loses points. Equal: it gives what the reference gives on every fresh input tried, so it is no wrong "
    "answer. May pass: it differs, and the course says why that is no mistake. Passes: a hole."
)
COLUMNS = (
    message("exercise"),
    message("wrong answers"),
    message("caught"),
    message("equal"),
    message("may pass"),
    message("passes"),
)
ROW = re.compile(r"^\| `(\w+)` \|((?: [\d,]+ \|){5})$", re.MULTILINE)
FORM = re.compile(r"^- `(\w+)`, .*$", re.MULTILINE)

Figures = tuple[int, ...]


def as_markdown(found: Sequence[Search], lang: str, before: str = "", order: Iterable[str] = ()) -> str:
    """Return the page: a row for each exercise and a sum, then what may pass with its reasons.

    `before` is the page as it was, `order` the exercises that there are: others leave it.
    """
    rows = {**_rows(before), **{each.slug: _figures(each) for each in found}}
    known = tuple(order) or tuple(rows)
    rows = {slug: rows[slug] for slug in known if slug in rows}
    forms = _forms(before, {each.slug for each in found}, rows)
    for each in found:
        for reason, form in _explained(each, lang):
            forms.setdefault(reason, []).append(form)
    sums = tuple(sum(column) for column in zip(*rows.values(), strict=True))
    page = [
        f"# {say(message('Wrong answers that pass'), lang)}",
        "",
        say(HOW, lang),
        "",
        f"| {' | '.join(say(title, lang) for title in COLUMNS)} |",
        "| --- |" + " ---: |" * (len(COLUMNS) - 1),
        *(_row(f"`{slug}`", figures) for slug, figures in rows.items()),
        _row(say(message("all"), lang), sums),
    ]
    if forms:
        page += ["", f"## {say(message('What may pass, and why'), lang)}"]
    for reason, lines in sorted(forms.items()):
        page += ["", reason, "", *sorted(lines)]
    return "\n".join(page) + "\n"


def _figures(found: Search) -> Figures:
    return found.tried, found.caught, found.equal, len(found.survivors) - len(found.hollow), len(found.hollow)


def _row(name: str, figures: Figures) -> str:
    return f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def _rows(page: str) -> dict[str, Figures]:
    return {
        slug: tuple(int(n.replace(",", "")) for n in re.findall(r"[\d,]+", cells)) for slug, cells in ROW.findall(page)
    }


def _forms(page: str, searched: set[str], rows: Mapping[str, Figures]) -> dict[str, list[str]]:
    """What may pass by its reason, of exercises that were not searched now."""
    kept: dict[str, list[str]] = {}
    reason = ""
    for line in page.splitlines():
        form = FORM.match(line)
        if form is None:
            reason = line or reason
        elif form[1] in rows and form[1] not in searched:
            kept.setdefault(reason, []).append(line)
    return kept


def _explained(found: Search, lang: str) -> Iterable[tuple[str, str]]:
    for survivor in found.survivors:
        if survivor.why is not None:
            form = survivor.mutant
            yield say(survivor.why, lang), f"- `{found.slug}`, {form.function}: `{form.before}` → `{form.after}`"
