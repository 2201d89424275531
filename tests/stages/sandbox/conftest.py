"""One open sandbox for each level, and a short way to run a text in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sandbox_plans import plan

from grader.model import Call, Observations, Submission
from grader.stages.sandbox import Sandbox, open_sandbox


@pytest.fixture(scope="session", params=["best", pytest.param("none", marks=pytest.mark.slow)])
def level(request: pytest.FixtureRequest) -> str:
    """Each level that this machine has. Level none imports torch for each run, so its tests are slow."""
    return str(request.param)


@pytest.fixture(scope="session")
def sandbox(level: str) -> Iterator[Sandbox]:
    with open_sandbox(level) as opened:
        if level == "best" and sys.platform == "linux":  # or these tests prove nothing
            assert opened.isolation.keeps_answers, opened.isolation
        yield opened


@pytest.fixture
def run(sandbox: Sandbox) -> Callable[..., Observations]:
    """Run source text against calls: `run("def f(x): ...", call("one", x=1))`."""

    def run_source(source: str | bytes, *calls: Call, **about: Any) -> Observations:
        data = source.encode() if isinstance(source, str) else source
        return sandbox.run(plan(*calls, **about), Submission("work/f.py", "f", data))

    return run_source
