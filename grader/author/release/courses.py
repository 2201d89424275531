"""A course folder in, the files of two others out: the learner's copy, which has no answers, and the judge's, which has no secret."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.author.release.keyless import keys_left, without_keys
from grader.author.release.open_cases import open_data
from grader.author.release.yamls import data_of, dumped
from grader.course.find import COURSE_FILE
from grader.course.folder import MISTAKES_FILE, load_course, load_policy, read_listing
from grader.course.lazily import open_course_lazily
from grader.course.own_kinds import own_words
from grader.kinds import speaking
from grader.model import AuthorError, Course, Exercise, GraderError, Message, message
from grader.stages.expect import FOLDER as REFERENCE
from grader.stages.expect import every_pair, expect
from grader.stages.frozen import freeze
from grader.stages.frozen_pairs import freeze_pairs
from grader.stages.plan import plan
from grader.stages.released import FOLDER, INDEX, Frozen, inputs_of, must_fit
from grader.stages.spec.variants import draws_file, read_draws

Files = dict[str, bytes]
"""What lies in a folder: paths with `/`, and what each file holds."""

SEED = 0
SECRET, VARIANTS = "COURSE_SECRET", "COURSE_VARIANTS"
"""The environment variables that the judge takes its secrets from, where the course does not name others: that of hidden cases, and
that of learners' own numbers."""

PUBLIC = ("title", "modules", "arrays", "preload")
"""What of `course.yaml` a learner may have: rules and extensions name people, and the secret is none of theirs."""


class Unreleasable(Exception):
    """A course that cannot be released as it is, or not with this command (`usage`); `why` says what to do."""

    def __init__(self, why: Message, *, usage: bool = False):
        super().__init__(why.template)
        self.why, self.usage = why, usage


def learner_course(root: Path, only: Collection[str], cache: Path | None, tell: Callable[[str], None]) -> Files:
    """Return a course without answers: open cases with frozen expectations, graded quizzes without keys.

    `only` are the slugs that are wanted, all where there are none. `tell` is told which exercise is being worked on.
    Raise AuthorError for a course with mistakes, Unreleasable for one that cannot be split, GraderError where something would get out.
    """
    whole = _loaded(root, only)
    course, paths = _chosen(root, only)
    listing = {name: part for name, part in data_of(root, COURSE_FILE).items() if name in PUBLIC}
    files = {COURSE_FILE: dumped(_narrowed(listing, course), COURSE_FILE), **_own_words(root)}
    if (root / MISTAKES_FILE).is_file():
        files[MISTAKES_FILE] = dumped(data_of(root, MISTAKES_FILE), MISTAKES_FILE)
    plans = {}
    for slug in course.exercises:
        exercise = _open_cases(whole.exercises[slug])
        files[paths[slug]] = dumped(open_data(data_of(root, paths[slug]), exercise), paths[slug])
        plans[slug] = plan(exercise, seed=SEED)
    with speaking(own_words(root)):
        for slug in course.quizzes:
            files |= _quiz(root, paths[slug], course, bare=whole.quizzes[slug].graded)
    elsewhere = {slug: tuple(c.weight for c in whole.exercises[slug].cases if c.hidden) for slug in plans}
    frozen = Frozen(SEED, elsewhere, {slug: inputs_of(planned) for slug, planned in plans.items()})
    files[INDEX] = frozen.text().encode()
    _proved(files, frozen, whole)
    for slug, planned in plans.items():
        tell(slug)
        known = expect(planned, root, cache)
        pairs = every_pair(planned, known, root, cache)
        files[f"{FOLDER}/{slug}.expect"], files[f"{FOLDER}/{slug}.pairs"] = freeze(known), freeze_pairs(pairs)
    return files


def judge_course(root: Path, only: Collection[str]) -> Files:
    """Return the whole course, answers included; its secrets come from the environment. Raise AuthorError."""
    _loaded(root, only)
    course, paths = _chosen(root, only)
    data = _narrowed(data_of(root, COURSE_FILE), course)
    hidden, own = secret_variables(root)
    data["secret"] = {"env": hidden}
    if data.get("policy"):
        data["policy"] = _policy(data["policy"], {*course.exercises, *course.quizzes}, own)
    files = {COURSE_FILE: dumped(data, COURSE_FILE), **_own_words(root)}
    kept_out = [(root / place.removeprefix("file:")).resolve() for place in secret_places(root)]
    for slug in course.exercises:
        files[paths[slug]] = (root / paths[slug]).read_bytes()
    for slug in course.quizzes:
        files |= _quiz(root, paths[slug], course, bare=False)
    for path in sorted((root / REFERENCE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.resolve() not in kept_out:
            files[path.relative_to(root).as_posix()] = path.read_bytes()
    return files


def _loaded(root: Path, only: Collection[str]) -> Course:
    """Return the course, every file checked; where a part is wanted, the files of that part."""
    if not only:
        return load_course(root)
    course = open_course_lazily(root)
    for kind in (course.exercises, course.quizzes):
        for slug in (slug for slug in kind if slug in only):
            kind[slug]
    return course


def _policy(policy: Mapping[str, Any], kept: Collection[str], own: str) -> dict[str, Any]:
    """Return the rules for what is released alone; the secret of learners' own numbers comes from the variable `own`."""

    def part(rule: Any) -> Any:
        return {slug: value for slug, value in rule.items() if slug in kept} if isinstance(rule, Mapping) else rule

    found = {**policy, **{name: part(policy[name]) for name in ("weights", "due") if name in policy}}
    if "bonus" in policy:
        found["bonus"] = [slug for slug in policy["bonus"] if slug in kept]
    if "extensions" in policy:
        found["extensions"] = {learner: part(given) for learner, given in policy["extensions"].items()}
    return {**found, "variants": {"env": own}} if "variants" in policy else found


def secret_places(root: Path) -> tuple[str, str]:
    """Return where the secret of hidden cases lies, and that of learners' own numbers: "file:NAME", "env:NAME", "" for none."""
    return read_listing(root)[0].secret_from or "", load_policy(root).variants or ""


def secret_variables(root: Path) -> tuple[str, str]:
    """Return the environment variables that a released judge takes the secrets from, in the same order."""
    hidden, own = (place.partition(":") for place in secret_places(root))
    return (hidden[2] if hidden[0] == "env" else SECRET), (own[2] if own[0] == "env" else VARIANTS)


def _chosen(root: Path, only: Collection[str]) -> tuple[Course, dict[str, str]]:
    """Return the listing narrowed to some slugs (which its exercises and quizzes are the keys of), and the path of each file."""
    course, files = read_listing(root)
    paths = {slug: path.relative_to(root).as_posix() for folder in files.values() for slug, path in folder.items()}

    def kept(slugs: Collection[str]) -> tuple[str, ...]:
        return tuple(slug for slug in slugs if not only or slug in only)

    modules = tuple(replace(m, exercises=kept(m.exercises), quizzes=kept(m.quizzes)) for m in course.modules)
    modules = tuple(m for m in modules if m.exercises or m.quizzes)
    exercises: dict[str, Any] = {slug: None for m in modules for slug in m.exercises}
    quizzes: dict[str, Any] = {slug: None for m in modules for slug in m.quizzes}
    return replace(course, modules=modules, exercises=exercises, quizzes=quizzes), paths


def _narrowed(data: Mapping[str, Any], course: Course) -> dict[str, Any]:
    kept = {*course.exercises, *course.quizzes}
    chapters = [
        {n: [s for s in part if s in kept] if n in ("exercises", "quizzes") else part for n, part in chapter.items()}
        for chapter in data["modules"]
    ]
    return {**data, "modules": [c for c in chapters if c.get("exercises") or c.get("quizzes")]}


def _own_words(root: Path) -> Files:
    return {f"kinds/{path.name}": path.read_bytes() for path in sorted((root / "kinds").glob("*.py"))}


def _open_cases(exercise: Exercise) -> Exercise:
    """Return the exercise with its open cases alone."""
    cases = tuple(case for case in exercise.cases if not case.hidden)
    if not any(case.raises is None for case in cases):
        what = message(
            "{file}: every case with a result is hidden, so a learner could check nothing", file=exercise.file
        )
        raise Unreleasable(what)
    return replace(exercise, cases=cases)


def _quiz(root: Path, name: str, course: Course, *, bare: bool) -> Files:
    """Return a quiz and its draws. An exercise that is not released is not pointed to."""
    data, draws = data_of(root, name), read_draws(root / name)
    text = draws_file(root / name).read_text(encoding="utf-8") if draws else None
    if bare:
        data, text = without_keys(data, draws)
    for question in data["questions"]:
        if question.get("practises") not in (None, *course.exercises):
            del question["practises"]
    beside = {draws_file(Path(name)).as_posix(): text.encode()} if text else {}
    return {name: dumped(data, name), **beside}


def _proved(files: Files, frozen: Frozen, whole: Course) -> None:
    """Read the copy as a learner's machine would; raise GraderError where it differs, or tells more than it may."""
    with tempfile.TemporaryDirectory() as folder:
        root = lay_out(Path(folder), files)
        try:
            copy = load_course(root)
        except AuthorError as error:
            what = message("without its hidden cases the course does not stand alone: {what}", what=error.problems[0])
            raise Unreleasable(what) from error
        for exercise in copy.exercises.values():
            must_fit(plan(exercise, seed=SEED), frozen)
        for slug, quiz in copy.quizzes.items():
            if whole.quizzes[slug].graded and (left := keys_left(quiz, whole.quizzes[slug])):
                raise GraderError(f"{quiz.file}: the learner's copy would tell the key of {', '.join(left)}")


def lay_out(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write files under a folder and return it."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root
