"""A quiz and the answers so far in, a conversation in the terminal, the answers out: question by question, saved after each one.

Where the quiz counts tries, a wrong answer is followed by a hint and asked again until none is left; then the question is closed.

Plain lines in and out: it works on a pipe, without colour, and with a screen reader.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import click

from grader.cli.onward import onward
from grader.kinds.formula.readable import readable
from grader.kinds.questions import NotAnAnswer
from grader.kinds.questions.reading import shown
from grader.kinds.reports.escape import line as harmless
from grader.kinds.reports.labels import VERDICTS
from grader.kinds.reports.terminal import paint, wrap
from grader.locale import say
from grader.model import Message, Outcome, Question, Quiz, Sayable, Verdict, message
from grader.stages.answers import judge_question
from grader.stages.paragraphs import is_code, paragraphs
from grader.stages.sheet import blank, form_lines, kind_of

MOST_CHARACTERS = 100_000  # of one line: more than any answer has
DONE = (Verdict.PASSED, Verdict.NOT_JUDGED)

HINT, BACK, SKIP, QUIT = "hint", "back", "skip", "quit"
COMMANDS = {
    **dict.fromkeys(("?", "？", ":hint", "hint", "提示"), HINT),
    **dict.fromkeys(("<", ":back", "back", "上一题"), BACK),
    **dict.fromkeys(("", ">", ":skip", "skip", "跳过"), SKIP),
    **dict.fromkeys((":quit", ":q", "quit", "exit", "退出"), QUIT),
}


@dataclass
class Conversation:
    """The state of one sitting. `save` is called with all answers, and the tries used up, after each new one."""

    quiz: Quiz
    answers: dict[str, Any]
    save: Callable[[Mapping[str, Any], Mapping[str, int]], None]
    lang: str
    width: int
    color: bool
    tries: dict[str, int] = field(default_factory=dict)  # question id -> wrong answers given
    hints: dict[str, int] = field(default_factory=dict)  # question id -> hints given
    told_of_blank: bool = False  # whether it was said what an empty line does

    def run(self) -> bool:
        """Ask from the first question that is not done to the last; return whether the end was reached."""
        if sys.stdin.isatty():
            with suppress(ImportError):  # not on every platform
                import readline  # noqa: F401 (editing and recalling lines in `input`)
        self.open()
        at = self.next_open(0)
        while at < len(self.quiz.questions):
            step = self.ask(at)
            if step == QUIT:
                self.tell(message("Your answers are kept; the same command goes on from here."))
                return False
            at = max(0, at - 1) if step == BACK else self.next_open(at + 1)
        return True

    def next_open(self, start: int) -> int:
        """Return the place of the first question from `start` on that is not answered rightly yet."""
        places = range(start, len(self.quiz.questions))
        return next((at for at in places if not self.done(self.quiz.questions[at])), len(self.quiz.questions))

    def done(self, question: Question) -> bool:
        """Whether a question need not be asked again: it is right, waits for a person, or has no try left."""
        return self.left(question) == 0 or self.verdict(question) in DONE

    def left(self, question: Question) -> int | None:
        """Return how many tries a question still has, None where they are not counted."""
        return None if self.quiz.tries is None else max(0, self.quiz.tries - self.tries.get(question.id, 0))

    def verdict(self, question: Question) -> Verdict:
        """Return how the answer that a question has now stands."""
        return judge_question(question, self.answers.get(question.id)).verdict

    def open(self) -> None:
        """Say what this is, how to move about, and how far it has come."""
        self.put(say(self.quiz.title, self.lang), ink="bold")
        for paragraph in paragraphs(say(self.quiz.intro, self.lang)):
            self.put(paragraph)
        self.tell(message("Type an answer, or: ? for a hint, back, skip, quit."))
        if self.quiz.tries is not None:
            self.tell(message("Tries for each question: {n}. What is no answer costs none.", n=self.quiz.tries))
        answered = sum(not blank(self.answers.get(question.id)) for question in self.quiz.questions)
        if answered:
            self.tell(
                message(
                    "{n} of {all} are answered; those that are right are not asked again.",
                    n=answered,
                    all=len(self.quiz.questions),
                )
            )

    def ask(self, at: int) -> str:
        """Ask one question until it has an answer; return where to go: SKIP (on), BACK or QUIT."""
        question = self.quiz.questions[at]
        self.show(question, at)
        while True:
            typed = self.read()
            command = QUIT if typed is None else COMMANDS.get(typed.casefold())
            if command == HINT:
                self.hint(question)
            elif command is not None:
                if not typed:
                    self.blank_line()
                return command
            elif self.left(question) == 0:
                self.tell(message("There is no try left for this one; `skip` goes on."))
            elif typed is not None and self.take(question, typed):
                return SKIP

    def show(self, question: Question, at: int) -> None:
        """Show a question with its options and how it is answered."""
        spec, form = kind_of(question), kind_of(question).form()
        click.echo()
        place = message("{number}/{all} · {id} · points: {points}", number=at + 1, all=len(self.quiz.questions), id=question.id,
                        points=f"{question.points:g}")  # fmt: skip
        self.tell(place, ink="bold")
        for paragraph in paragraphs(say(question.prompt, self.lang)):
            show = self.code if is_code(paragraph) else self.put
            show(paragraph)
        for row in form_lines(form, self.lang, "  ", self.width):
            click.echo(row)
        raw = self.answers.get(question.id)
        if not blank(raw):
            self.tell(message("Your answer so far: {answer}", answer=harmless(shown(raw, 200))))
        elif spec.word == "text":
            self.tell(message("One line here; a longer text goes into the answer sheet."))

    def read(self) -> str | None:
        """Return what was typed, None at the end of the input. What comes from a pipe is repeated, so that the log can be read."""
        try:
            typed = input("> ")
        except EOFError:
            click.echo()
            return None
        except UnicodeDecodeError:
            click.echo()
            self.tell(message("this line is not UTF-8 text"), ink="yellow")
            return self.read()
        if not sys.stdin.isatty():
            click.echo(harmless(typed, 200))
        return typed[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8").strip()

    def blank_line(self) -> None:
        """Say once that an empty line skips: who only pressed a key too often should know."""
        if not self.told_of_blank:
            self.tell(message("An empty line skips a question; `back` returns to it."))
        self.told_of_blank = True

    def hint(self, question: Question) -> None:
        """Give the next hint; the last one stays."""
        if not question.hints:
            self.tell(message("There is no hint for this one."))
            return
        given = min(self.hints.get(question.id, 0) + 1, len(question.hints))
        self.hints[question.id] = given
        self.tell(message("Hint {n} of {of}: {text}", n=given, of=len(question.hints), text=question.hints[given - 1]))

    def take(self, question: Question, typed: str) -> bool:
        """Keep an answer and say what it is worth; False when the question is to be asked again."""
        spec = kind_of(question)
        try:
            spec.parse(typed)
        except NotAnAnswer as error:
            form = spec.form()
            self.tell(message("That is not an answer: {why}", why=error.why), ink="yellow")
            self.tell(message("Expected: {accepts}. Example: {example}", accepts=form.accepts, example=form.example))
            return False
        self.answers[question.id] = typed
        outcome = judge_question(question, typed)
        wrong = outcome.verdict is Verdict.FAILED
        if wrong and self.quiz.tries is not None:
            self.tries[question.id] = self.tries.get(question.id, 0) + 1
        self.save(self.answers, self.tries)
        mark, ink, _ = VERDICTS[outcome.verdict]
        self.tell(message("{mark} {verdict}", mark=mark, verdict=standing(outcome)), ink=ink)
        if outcome.message is not None:
            self.tell(outcome.message)
        return self.after_wrong(question) if wrong else True

    def after_wrong(self, question: Question) -> bool:
        """Say what comes after a wrong answer; return whether to go on to the next question."""
        left = self.left(question)
        if left is None:
            self.tell(message("`back` asks it again."))
            return True
        if left:
            self.hint(question)
            self.tell(message("Tries left: {n}.", n=left))
            return False
        if question.explanation is not None:
            self.tell(message("The reasoning: {text}", text=question.explanation))
        if question.practises is not None:
            self.tell(message("To practise it: grader show {slug}", slug=onward(question.practises)))
        return True

    def code(self, text: str) -> None:
        """Print code, line by line as it is."""
        for row in text.split("\n"):
            click.echo(harmless(row, 400).rstrip())

    def tell(self, text: Sayable, ink: str = "") -> None:
        """Print one of our sentences."""
        self.put(say(text, self.lang), ink)

    def put(self, text: str, ink: str = "") -> None:
        """Print a paragraph, painted where colour is wanted."""
        for row in wrap(" ".join(harmless(readable(text), 4000).split()), self.width):
            click.echo(paint(row, ink) if ink and self.color and row.strip() else row)


def standing(outcome: Outcome) -> Message:
    """Return in a few words what an answer is worth."""
    if outcome.verdict is Verdict.PASSED:
        return message("right")
    if outcome.verdict is Verdict.NOT_JUDGED:
        return message("kept for a person to read") if outcome.check == "text" else message("kept, and not judged here")
    if outcome.points > 0:
        got, most = f"{outcome.points:.3g}", f"{outcome.max_points:g}"
        return message("partly right: {got} of {all} points", got=got, all=most)
    return message("not right yet")
