"""A course folder in, the wrong forms of its reference that may pass out, each with the reason: `reference_impl/may_pass.yaml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from grader.author.mutate.edits import Mutant
from grader.kinds.kind import Kind, Said
from grader.model import Text, message
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, author_error
from grader.stages.spec.text import read_text

MAY_PASS = "reference_impl/may_pass.yaml"

Words = Annotated[tuple[str, ...], Field(strict=False)]


class Reason(Kind):
    """Wrong forms that may pass, under a name of their own: where they lie, what they become, and why that is no mistake.

    A form is covered where its function, what stands after the change and the exercise are all among those listed; a list
    that is not there holds everything. `after` is a part of the changed line, or the id of a known mistake.
    """

    functions: Words = ()
    after: Words = ()
    exercises: Words = ()
    why: Said


@dataclass(frozen=True)
class Allowed:
    """What a reason covers, and the reason itself."""

    functions: tuple[str, ...]
    after: tuple[str, ...]
    exercises: tuple[str, ...]
    why: Text

    def covers(self, slug: str, mutant: Mutant) -> bool:
        """Whether a wrong form of an exercise's reference is one of those meant."""
        return (
            (not self.exercises or slug in self.exercises)
            and (not self.functions or mutant.function in self.functions)
            and (not self.after or any(_is_meant(part, mutant) for part in self.after))
        )


def _is_meant(part: str, mutant: Mutant) -> bool:
    return part in mutant.mistakes if mutant.mistakes else part in mutant.after and part not in mutant.before


def load_allowed(root: Path, slugs: Mapping[str, object]) -> tuple[Allowed, ...]:
    """Return the wrong forms that may pass, none where the course has no file of them; raise AuthorError for what is wrong in it."""
    path = root / MAY_PASS
    if not os.path.lexists(path):
        return ()
    source = read_yaml(read_text(path, MAY_PASS), MAY_PASS)
    problems: list[Problem] = []
    found = []
    for name in source.data:
        reason = sift(validate(Reason, source, (name,)), problems)
        if reason is None:
            continue
        if not reason.functions and not reason.after:
            problems.append(
                source.problem((name,), message("say which forms are meant: `functions`, `after`, or both"), key=True)
            )
        for at, slug in enumerate(reason.exercises):
            if slug not in slugs:
                problems.append(
                    source.problem((name, "exercises", at), message("the course has no exercise `{slug}`", slug=slug))
                )
        found.append(Allowed(reason.functions, reason.after, reason.exercises, reason.why))
    if problems:
        raise author_error(MAY_PASS, problems)
    return tuple(found)
