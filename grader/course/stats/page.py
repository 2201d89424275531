"""The statistics of a class in, one web page out: nothing is fetched and no script runs; every picture stands as a table too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from grader.course.stats import Item, Seen, Stats, gone_in_order
from grader.course.stats.plots import Bar, bins, histogram, rows
from grader.kinds.reports.escape import line
from grader.kinds.reports.templates import template
from grader.kinds.reports.view import spoken
from grader.locale import say
from grader.model import Course, Message, Mistake, message

MOST_MISTAKES = 20
LOW, HIGH = 0.1, 0.3

WORDS = {
    "about": message("A class in numbers"),
    "scores": message("Scores"),
    "items": message("Exercises and quizzes"),
    "parts": message("Cases and questions"),
    "mistakes": message("Mistakes"),
    "order": message("How mistakes go away"),
    "name": message("Name"),
    "learners": message("Learners"),
    "share": message("Points reached"),
    "telling": message("Discrimination"),
    "percent": message("Percent"),
    "found": message("Found in"),
    "now": message("Still there"),
    "gone": message("Gone"),
    "tries": message("Submissions with it"),
    "none": message("Nothing to show yet."),
    "explain": message(
        "Discrimination is the correlation with what a learner has reached elsewhere, from −1 to 1. Below 0.1 an item does not tell "
        "those who know more from those who know less: look at it. It is left out for fewer than 5 learners, and where all did the same."
    ),
    "explain_order": message(
        "Of learners who handed in more than once: the median number of submissions in which the mistake was found before it was gone."
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """One part of the page: a picture, and the same as a table."""

    anchor: str
    title: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    picture: str = ""
    note: str = ""


def page(stats: Stats, course: Course, mistakes: Mapping[str, Mistake], lang: str) -> str:
    """Return the page in `lang`."""
    words = {name: say(word, lang) for name, word in WORDS.items()}
    tables = [
        _scores(stats, words),
        _items("items", stats.items, course, words, lang),
        _items("parts", stats.parts, course, words, lang),
        _mistakes(stats.mistakes[:MOST_MISTAKES], mistakes, words, lang),
        _order(gone_in_order(stats.mistakes)[:MOST_MISTAKES], mistakes, words, lang),
    ]
    facts = [say(fact, lang) for fact in _facts(stats)]
    title = spoken(course.title, lang)
    return template("class.html").render(lang=lang, title=title, words=words, facts=facts, tables=tables) + "\n"


def _facts(stats: Stats) -> list[Message]:
    facts = [
        message(
            "{n} learners, of whom {handed} handed in something that could be graded.",
            n=stats.enrolled,
            handed=len(stats.percents),
        )
    ]
    if stats.percents:
        facts.append(
            message(
                "The median of their totals is {median} %, the mean {mean} %.",
                median=f"{median(stats.percents):.1f}",
                mean=f"{mean(stats.percents):.1f}",
            )
        )
    return facts


def _scores(stats: Stats, words: Mapping[str, str]) -> Table:
    counts = bins(stats.percents)
    shown = tuple((name, str(count)) for name, count in counts)
    picture = histogram(counts, words["scores"]) if stats.percents else ""
    return Table("scores", words["scores"], (words["percent"], words["learners"]), shown if picture else (), picture)


def _items(anchor: str, items: Sequence[Item], course: Course, words: Mapping[str, str], lang: str) -> Table:
    named = [(_name(item, course, lang), item) for item in items]
    bars = [Bar(name, item.difficulty, f"{100 * item.difficulty:.0f} %") for name, item in named]
    shown = tuple((n, str(i.learners), f"{100 * i.difficulty:.1f} %", _telling(i.discrimination)) for n, i in named)
    heading = (words["name"], words["learners"], words["share"], words["telling"])
    picture = rows(bars, words[anchor]) if bars and anchor == "items" else ""
    return Table(anchor, words[anchor], heading, shown, picture, words["explain"] if anchor == "items" else "")


def _telling(value: float | None) -> str:
    if value is None:
        return "–"
    mark = "!" if value < LOW else "+" if value >= HIGH else ""
    return f"{value:.2f} {mark}".replace("-", "−").rstrip()


def _name(item: Item, course: Course, lang: str) -> str:
    whole = course.exercises.get(item.slug) or course.quizzes[item.slug]
    return f"{item.slug} · {line(item.part)}" if item.part else spoken(whole.title, lang)


def _said(seen: Seen, mistakes: Mapping[str, Mistake], lang: str) -> str:
    names = (spoken(mistakes[name].says, lang) if name in mistakes else name for name in seen.mistakes[:1])
    return f"{' + '.join(seen.mistakes)}: {' '.join(names)}"


def _mistakes(seen: Sequence[Seen], mistakes: Mapping[str, Mistake], words: Mapping[str, str], lang: str) -> Table:
    most = max((each.learners for each in seen), default=1)
    bars = [Bar(" + ".join(each.mistakes), each.learners / most, str(each.learners)) for each in seen]
    shown = tuple((_said(each, mistakes, lang), str(each.learners), str(each.now), str(each.gone)) for each in seen)
    heading = (words["name"], words["found"], words["now"], words["gone"])
    return Table("mistakes", words["mistakes"], heading, shown, rows(bars, words["mistakes"]) if bars else "")


def _order(seen: Sequence[Seen], mistakes: Mapping[str, Mistake], words: Mapping[str, str], lang: str) -> Table:
    shown = tuple((_said(each, mistakes, lang), f"{each.tries:g}", str(each.gone)) for each in seen)
    heading = (words["name"], words["tries"], words["gone"])
    return Table("order", words["order"], heading, shown, "", words["explain_order"])
