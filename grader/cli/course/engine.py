"""How many at once, or the address of a scheduler in; what grades a class out: threads here, or workers elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from grader.cli.stop import UNAVAILABLE, USAGE, Stop
from grader.course.batch.identity import Versions
from grader.course.batch.tasks import Setup, close_all, isolation_of
from grader.course.batch.window import Class, Stopped
from grader.course.downloads import Piece, Wanted
from grader.course.store import Store
from grader.model import Isolation, message

Own = Callable[[str, Piece], Piece]
"""What gives an answer the numbers that its learner was asked with."""


@dataclass(frozen=True)
class Engine:
    """An executor, how many tasks it runs at once, what holds learner code there, and how to ask about workers that are lost."""

    executor: Executor
    jobs: int
    isolation: Isolation
    deaths: Callable[[Exception], int] | None = None
    check: Callable[[], None] = lambda: None

    def on(self, store: Store, setup: Setup, versions: Versions, wanted: Wanted, own: Own) -> Class:
        """Return a class to grade with it."""
        return Class(store, setup, versions, wanted, self.executor, self.jobs, self.deaths, self.check, own)


@contextmanager
def threads(setup: Setup, jobs: int) -> Iterator[Engine]:
    """Grade here: threads that each hold a warm sandbox. Raise IsolationUnavailable where it cannot be had."""
    try:
        held = isolation_of(setup)
        with ThreadPoolExecutor(jobs) as executor:
            yield Engine(executor, jobs, held)
    finally:
        close_all()


@contextmanager
def workers(
    address: str, setup: Setup, course: str, versions: Versions, jobs: int | None, lang: str
) -> Iterator[Engine]:
    """Grade on the workers of a scheduler, for all of them at once unless `jobs` says; raise `Stop` where that cannot be."""
    try:
        from grader.course.batch.cluster import Unusable, cluster_at, deaths
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in {"distributed", "dask"}:
            raise
        why = message("--scheduler needs Dask. Install it with: pip install {what}", what='"attention-grader[cluster]"')
        raise Stop(why, lang, USAGE) from error
    from grader.course.batch.remote import order_of

    try:
        with cluster_at(address, order_of(setup, course, versions)) as cluster:
            held = cluster.isolation()
            yield Engine(cluster, jobs or sum(cluster.workers().values()), held, deaths, cluster.check)
    except Unusable as error:
        raise Stop(error.why, lang, USAGE if error.usage else UNAVAILABLE) from error
    except Stopped as error:
        why = message("{why} What is graded is kept; the same command goes on with the rest.", why=error.why)
        raise Stop(why, lang, UNAVAILABLE) from error
