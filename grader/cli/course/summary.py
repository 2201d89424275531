"""A graded class in, the table that a run ends with out: verdicts by exercise, and the slowest answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.course.gradebook import Book
from grader.course.store import Store
from grader.course.store.codec import loads
from grader.kinds.reports.escape import line
from grader.kinds.reports.labels import VERDICTS
from grader.kinds.reports.terminal import cells, pad
from grader.locale import say
from grader.model import Verdict, message

SLOWEST = 5
NAMES = {
    Verdict.ERRORED: message("exception, or not readable")
}  # counted together: a sheet or a file that cannot be read raised nothing


def summary(store: Store, book: Book, lang: str) -> str:
    """Return the table of verdicts, and the answers that took longest."""
    counts: dict[str, Counter[str]] = {slug: Counter() for slug in book.wanted.slugs}
    slowest: list[tuple[float, str, int]] = []
    for record in store.records():
        if record.slug in counts:
            counts[record.slug][record.verdict] += 1
            slowest = sorted([*slowest, (-record.seconds, record.slug, record.attempt)])[:SLOWEST]
    return "\n".join([*_table(counts, lang), "", *_unread(store, lang), *_slow(store, slowest, lang)]).rstrip()


def _table(counts: dict[str, Counter[str]], lang: str) -> Iterator[str]:
    shown = [verdict for verdict in Verdict if any(counter[verdict.value] for counter in counts.values())]
    heading = ["", *(say(NAMES.get(verdict, VERDICTS[verdict][2]), lang) for verdict in shown)]
    body = [[slug, *(str(counter[verdict.value] or "·") for verdict in shown)] for slug, counter in counts.items()]
    columns = list(zip(heading, *body, strict=True))
    wide = [max(cells(word) for word in column) for column in columns]
    for row in [heading, *body]:
        yield "  ".join(pad(word, wide[at], right=at > 0) for at, word in enumerate(row)).rstrip()


def _unread(store: Store, lang: str) -> Iterator[str]:
    unread = [attempt for attempt in store.attempts() if attempt.problem]
    if unread:
        yield say(message("Submissions in which nothing could be graded: {n}", n=len(unread)), lang)
        for attempt in unread[:10]:
            yield f"  {line(attempt.name, 60)}: {line(say(loads(attempt.problem), lang))}"
        yield ""


def _slow(store: Store, slowest: list[tuple[float, str, int]], lang: str) -> Iterator[str]:
    if not slowest:
        return
    names = {attempt.id: attempt.name for attempt in store.attempts()}
    yield say(message("The slowest:"), lang)
    for minus, slug, attempt in slowest:
        yield f"  {-minus:6.2f} s  {line(names[attempt], 60)}  {slug}"
