"""Exercises and quizzes of a course folder in, what is proven of each out: proven before, proven now, not proven, or not readable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.author.proof import Proof, raised_at
from grader.author.proven import key_of, recall, remember, shared_digest
from grader.course.folder import FOLDERS, load_course_mistakes, read_listing
from grader.course.lazily import open_course_lazily
from grader.model import AuthorError, Course, GraderError, Mistake
from grader.stages.compute import Reference
from grader.stages.expect import forget_reference, load_reference

KINDS = dict(zip(FOLDERS, ("exercise", "quiz"), strict=True))

Hear = Callable[[Proof], None]


@dataclass(frozen=True)
class Proven:
    """What is proven of one exercise or quiz. `kept`: it was proven before; `problems` keep its file from being read."""

    slug: str
    kind: str
    file: str
    proofs: tuple[Proof, ...] = ()
    kept: bool = False
    problems: tuple[str, ...] = ()

    @property
    def held(self) -> int:
        """How many proofs hold here."""
        return sum(proof.holds and not proof.remark for proof in self.proofs)

    @property
    def broken(self) -> int:
        """How many do not."""
        return sum(not proof.holds for proof in self.proofs)

    @property
    def state(self) -> str:
        """`proven`, `broken` or `unreadable`."""
        if self.problems:
            return "unreadable"
        return "proven" if self.held and not self.broken else "broken"


@dataclass
class Prover:
    """Proves items of the course in `root`. With a `cache`, what has not changed since it was proven is not proven anew."""

    root: Path
    cache: Path | None = None
    files: dict[str, Path] = field(init=False)

    def __post_init__(self) -> None:
        _, found = read_listing(self.root)
        listed = [*self.course.exercises, *self.course.quizzes]
        every = {slug: path for folder in FOLDERS for slug, path in found[folder].items()}
        self.files = {slug: every[slug] for slug in listed}

    @cached_property
    def course(self) -> Course:
        """The course, each file read when it is proven."""
        return open_course_lazily(self.root)

    @cached_property
    def reference(self) -> Reference:
        """The reference as its files are now; raise AuthorError with the place where it does not load."""
        forget_reference(self.root)
        try:
            return load_reference(self.root)
        except GraderError as error:
            place = raised_at(error.__cause__, self.root) if error.__cause__ else ""
            raise AuthorError([f"{place}: {error}" if place else str(error)]) from error

    @cached_property
    def mistakes(self) -> dict[str, Mistake]:
        """The texts of the mistakes; raise AuthorError."""
        return load_course_mistakes(self.root)

    @cached_property
    def shared(self) -> str:
        """What the proofs of all items depend on."""
        return shared_digest(self.root)

    def prove(self, slug: str, hear: Hear = lambda proof: None) -> Proven:
        """Return what is proven of an item; `hear` is told each new proof as it is made."""
        path = self.files[slug]
        shown, kind = path.relative_to(self.root).as_posix(), KINDS[path.parent.name]
        about = f"{self.course.arrays}|{','.join(self.course.exercises) if kind == 'quiz' else ''}"
        key = key_of(self.shared, path, about)
        kept = recall(self.cache, self.root, slug, key)
        if kept is not None:
            return Proven(slug, kind, shown, kept, kept=True)
        try:
            found = self._new(slug, kind, hear)
        except AuthorError as error:
            return Proven(slug, kind, shown, problems=error.problems)
        if self.cache is not None and key == key_of(shared_digest(self.root), path, about):  # nobody saved meanwhile
            remember(self.cache, self.root, slug, key, found)
        return Proven(slug, kind, shown, found)

    def _new(self, slug: str, kind: str, hear: Hear) -> tuple[Proof, ...]:
        from grader.author.verify import prove_exercise, prove_quiz  # torch comes along

        found = []
        if kind == "exercise":
            proofs = prove_exercise(self.course.exercises[slug], self.reference, self.mistakes, self.root)
        else:
            proofs = prove_quiz(self.course.quizzes[slug], self.course, self.reference)
        for proof in proofs:
            hear(proof)
            found.append(proof)
        return tuple(found)
