"""A run's orders in, tasks done on this machine out: the half of a distributed run that workers import.

The folder of the course and the cache are this machine's own. Everything else comes with the order, and nothing is graded with another
course, or another version of this package, than where the order came from.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from grader.course.batch.identity import Versions, digest_of, versions_of
from grader.course.batch.tasks import Setup, close_all, course_at, isolation_of
from grader.course.find import NoCourse, find_course, preload_of
from grader.locale import say
from grader.model import AuthorError, GraderError, Isolation, IsolationUnavailable, Message, message

FOLDER = "GRADER_COURSE"
"""The environment variable of a worker that names its folder of the course."""


class OtherVersion(GraderError):
    """Here is another course, or another version of this package, than where the order came from."""

    def __init__(self, why: Message):
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return say(self.why, "en")


@dataclass(frozen=True)
class Order:
    """How a run grades. `course` names a folder, "" the course inside the package; `digest` says what has to be in it."""

    setup: Setup
    course: str
    digest: str


def order_of(setup: Setup, course: str, versions: Versions) -> Order:
    """Return what workers are told."""
    return Order(replace(setup, cache=None), course, digest_of(versions, preload_of(setup.root)))


def on_worker(function: Callable[..., Any], order: Order, *arguments: Any) -> Any:
    """Call a function with the order's setup as it is here; raise what `setup_here` raises."""
    from distributed import get_worker

    return function(setup_here(order, get_worker().local_directory), *arguments)


def ready(order: Order, dask_worker: Any) -> Isolation | Message:
    """Return what would hold learner code here, or why this machine cannot grade. Dask fills in its worker."""
    try:
        setup = setup_here(order, dask_worker.local_directory)
        if setup.device == "cuda" and not _cuda():
            return message("torch finds no CUDA there")
        return isolation_of(setup)
    except (IsolationUnavailable, NoCourse, OtherVersion) as error:
        return error.why
    except AuthorError as error:
        return message("{what}", what=error.problems[0])
    except GraderError as error:
        return message("{what}", what=str(error))


def release(order: Order, dask_worker: Any) -> None:
    """End the processes that were kept warm for a run."""
    close_all(setup_here(order, dask_worker.local_directory))


@lru_cache(maxsize=4)
def setup_here(order: Order, folder: str) -> Setup:
    """Return the setup with this machine's folders, a worker's own `folder` among them.

    Raise NoCourse, AuthorError, or OtherVersion.
    """
    named = os.environ.get(FOLDER) or order.course
    root = find_course(Path(named) if named else None).resolve()
    if _loaded(root) != order.digest:
        other = message(
            "the course in {folder}, or the grader, is another version there: install the same, and restart the worker",
            folder=root,
        )
        raise OtherVersion(other)
    return replace(order.setup, root=root, cache=Path(folder, "expectations"))


@cache
def _loaded(root: Path) -> str:
    """Return the digest of a course as it was when it was loaded: in a process that runs on, it stays that course."""
    course, _ = course_at(root)
    return digest_of(versions_of(course, seed=0, secret=b"", device="", level=""), preload_of(root))


def _cuda() -> bool:
    import torch

    return torch.cuda.is_available()
