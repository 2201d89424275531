"""`grader course release`: a course in, a folder for learners or for the judge out."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.course.opening import listed
from grader.cli.grading import cache_folder
from grader.cli.opening import filled, judges_folder
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import FAULT, USAGE, Stop, no_such
from grader.cli.targets import must_exist
from grader.course.downloads import Person, RosterError, read_roster
from grader.course.folder import read_listing
from grader.locale import say
from grader.model import GraderError, message

TARGETS = ("learner", "github", "gitlab", "gradescope")
MOST = 5  # names in a message


@click.command(
    help=told(message("Write a release into DIR: for learners, without answers; or with what a judge needs beside it."))
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--for", "target", type=click.Choice(TARGETS), required=True, help=told(message("Whom it is for.")))
@click.option(
    "--exercise", "slugs", multiple=True, metavar="SLUG", help=told(message("Only this one; may be repeated."))
)
@click.option("--roster", type=click.Path(dir_okay=False, path_type=Path), help=told(message("A CSV of the learners.")))
@course_option
@lang_option
def release(
    folder: Path, target: str, slugs: tuple[str, ...], roster: Path | None, course: Path | None, lang: str
) -> None:
    from grader.author.release import NotOurs, Release, Unreleasable, must_be_ours, place
    from grader.author.release import release as made

    root = judges_folder(course, lang, above=Path())
    listing = filled(read_listing(root)[0], lang)
    known = [slug for module in listing.modules for slug in (*module.exercises, *module.quizzes)]
    for slug in slugs:
        if slug not in known:
            raise no_such(slug, known, lang)
    given, people = roster_of(roster, lang)
    cache = cache_folder(os.environ)
    order = Release(root, target, lang, slugs, given, people, cache, lambda slug: working(slug, lang))
    try:
        must_be_ours(folder.absolute())
        files = made(order)
        place(folder, files, target)
    except NotOurs as error:
        names = ", ".join(error.names[:MOST]) + (", …" if len(error.names) > MOST else "")
        what = message(
            "{folder} has files that no release wrote, or that were changed since: {names}. Nothing was written. "
            "Choose another folder, or move them away.",
            folder=folder,
            names=names,
        )
        raise Stop(what, lang) from error
    except Unreleasable as error:
        raise Stop(error.why, lang, USAGE if error.usage else FAULT) from error
    except GraderError as error:
        raise Stop(message("{what}", what=str(error)), lang, FAULT) from error
    except OSError as error:
        raise Stop(message("{root} cannot be written: {why}.", root=folder, why=error.strerror), lang) from error
    size = sum(map(len, files.values())) / 1e6
    done = message("{folder} is ready: files {n}, {size} MB.", folder=folder, n=len(files), size=f"{size:.1f}")
    click.echo(say(done, lang))
    click.echo(say(message("What to do with it stands in {file}.", file=folder / "README.md"), lang))


def roster_of(roster: Path | None, lang: str) -> tuple[bytes | None, tuple[Person, ...]]:
    """Return the roster as it is, and who stands in it; raise `Stop` where it is not there or cannot be read."""
    if roster is None:
        return None, ()
    must_exist([roster], lang)
    try:
        people = tuple(read_roster(roster).people.values())
    except RosterError as error:
        raise listed(error.problems, message("The roster cannot be read."), lang) from error
    return roster.read_bytes(), people


def working(slug: str, lang: str) -> None:
    """Say on standard error what is being frozen: with thousands of pairs of mistakes it can take a minute."""
    click.echo(say(message("Freezing the answers of {slug} …", slug=slug), lang), err=True)
