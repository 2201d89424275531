"""What all tests share: English unless a test says otherwise, one thread, and the switch that rewrites transcripts."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcripts",
        action="store_true",
        help="write the outputs that commands give now into README.md and tests/feedback",
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ.update(LC_ALL="C.UTF-8", OMP_NUM_THREADS="1", COLUMNS="100")  # before anything of ours is imported
    os.environ.pop("LANGUAGE", None)


@pytest.fixture
def update_transcripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-transcripts"))
