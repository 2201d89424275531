"""The address of a Dask scheduler in, an executor out that grades on its workers: what `--scheduler` means.

Dask distributes, tries again what a lost worker was at, and encrypts. Here it is asked who is there and whether they can grade, and what
it raises is told apart. This is the only module that needs Dask on the machine of the judge.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from distributed import Client, KilledWorker, Security
from distributed.comm import connect

from grader.course.batch.remote import Order, on_worker, ready, release
from grader.course.batch.window import Stopped
from grader.model import Isolation, Message, message

T = TypeVar("T")

CONNECT = 10.0  # seconds until a scheduler counts as not there
ARRIVE = 30.0  # seconds for the first worker to come
GONE = 60.0  # seconds without any worker until a run is stopped
GPU = "GPU"
"""The resource that work for CUDA asks for: a worker offers it with `--resources GPU=1`."""


class Unusable(Exception):
    """No cluster to grade on; `why` says what is missing, `usage` whether the command line or the settings are at fault."""

    def __init__(self, why: Message, *, usage: bool = False):
        super().__init__(why.template)
        self.why, self.usage = why, usage


class Cluster(Executor):
    """Submits to the workers of one scheduler. What is submitted gets the worker's own setup in place of the first argument."""

    def __init__(self, client: Client, address: str, order: Order):
        self.client, self.address, self.order = client, address, order
        self.wants: Mapping[str, float] = {GPU: 1.0} if order.setup.device == "cuda" else {}
        more = {"resources": dict(self.wants)} if self.wants else {}
        self._executor = client.get_executor(pure=False, **more)
        self._empty_since: float | None = None

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have a function called on a worker; raise Stopped once the scheduler is gone."""
        try:
            future: Future[T] = self._executor.submit(on_worker, fn, self.order, *args[1:], **kwargs)
        except Exception as error:  # whatever Dask raises when it cannot even take work
            raise Stopped(_gone(self.address)) from error
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the run: with `cancel_futures`, what is under way is given up."""
        with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to give up
            self._executor.shutdown(wait=wait and not cancel_futures)

    def workers(self) -> dict[str, int]:
        """Return how many tasks each worker that can take ours runs at once."""
        found = self.client.scheduler_info(n_workers=-1)["workers"]
        if self.wants:
            return {name: int(w["resources"][GPU]) for name, w in found.items() if w["resources"].get(GPU, 0) >= 1}
        return {name: int(w["nthreads"]) for name, w in found.items()}

    def check(self) -> None:
        """Raise Stopped when the scheduler is gone, or every worker for longer than a restart takes."""
        try:
            there = bool(self.workers())
        except Exception as error:
            raise Stopped(_gone(self.address)) from error
        now = time.monotonic()
        self._empty_since = None if there else self._empty_since or now
        if self._empty_since is not None and now - self._empty_since > GONE:
            raise Stopped(message("All workers of {address} are gone.", address=self.address))

    def isolation(self) -> Isolation:
        """Return what holds learner code on the workers, that of the weakest; raise Unusable where one of them cannot grade."""
        asked = list(self.workers())
        answers: dict[str, Isolation | Message | BaseException] = self.client.run(
            ready, self.order, workers=asked, on_error="return"
        )
        found: list[Isolation] = []
        for name, answer in sorted(answers.items()):
            if not isinstance(answer, Isolation):
                why = answer if isinstance(answer, Message) else _raised(answer)
                raise Unusable(message("The worker {name} cannot grade: {why}", name=name, why=why))
            found.append(answer)
        return min(found, key=lambda held: (held.keeps_answers, len(held.layers), held.layers))


def deaths(error: Exception) -> int:
    """Return how many workers ended while they had a task, given what its future raised; 0 when that is not what happened."""
    return int(error.allowed_failures) + 1 if isinstance(error, KilledWorker) else 0


@contextmanager
def cluster_at(address: str, order: Order) -> Iterator[Cluster]:
    """Connect to a scheduler; raise Unusable when it is not there, or nobody there can do the work."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is raised, and said by us
    _reach(address)
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except Exception as error:
        raise Unusable(_nobody(address, error)) from error
    cluster = None
    try:
        cluster = Cluster(client, address, order)
        _await_workers(cluster, address)
        yield cluster
        cluster.shutdown()
    finally:
        if cluster is not None:
            cluster.shutdown(cancel_futures=True)
        with contextlib.suppress(Exception):  # the run is over, whatever becomes of its workers
            client.run(release, order, on_error="ignore")
        with contextlib.suppress(Exception):
            client.close(timeout=CONNECT)


def _reach(address: str) -> None:
    """Raise Unusable unless somebody answers at an address. A client that never was connected is hard to get rid of."""

    async def call() -> None:
        comm = await connect(address, timeout=CONNECT, **Security().get_connection_args("client"))
        comm.abort()

    try:
        asyncio.run(call())
    except ValueError as error:
        wrong = message(
            "{address} is no address of a scheduler, such as tcp://host:8786: {why}", address=address, why=str(error)
        )
        raise Unusable(wrong, usage=True) from error
    except TypeError as error:  # this is how Dask says that it has no certificate
        bare = message(
            "{address} needs certificates: set distributed.comm.tls in Dask's configuration (docs/cluster.md).",
            address=address,
        )
        raise Unusable(bare, usage=True) from error
    except Exception as error:
        raise Unusable(_nobody(address, error)) from error


def _await_workers(cluster: Cluster, address: str) -> None:
    """Raise Unusable when no worker comes, or none with what the work asks for."""
    try:
        cluster.client.wait_for_workers(1, timeout=ARRIVE)
    except Exception as error:
        none = message(
            "The scheduler at {address} has no workers: start one with dask worker {address}", address=address
        )
        raise Unusable(none) from error
    if not cluster.workers():
        bare = message("No worker of {address} offers a GPU: start one with --resources GPU=1", address=address)
        raise Unusable(bare)


def _nobody(address: str, error: BaseException) -> Message:
    told, cause = error, error.__cause__
    while cause is not None:
        told, cause = cause if isinstance(cause, OSError) else told, cause.__cause__
    return message("There is no scheduler to reach at {address}: {why}", address=address, why=_raised(told))


def _raised(error: BaseException) -> Message:
    return message("{kind}: {text}", kind=type(error).__name__, text=str(error)[:300])


def _gone(address: str) -> Message:
    return message("The scheduler at {address} is gone.", address=address)
