"""Grading a class against one fresh `pytest` process a submission, two at a time, on the same six cases of `attention`.

60 % of the submissions are right, 30 % wrong, 10 % broken; ones that loop are reported apart. Goals: at least 40 times the submissions a
second, diagnosis and reports included; what each further one costs constant within 10 % from N = 50 on; memory of the judge constant.

    python benchmarks/class.py [N ...]
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "tests" / "submissions"
JOBS = 2
PYTEST_SUBMISSIONS = 20
CASES = ("no mask", "mask", "one mask for all samples", "padding", "causal", "heads and padding")


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, seconds of CPU (which say the same on a busy machine), and the most MiB of the judge itself."""

    wall: float
    cpu: float
    memory: float = 0.0

    def by(self, count: int) -> Cost:
        """Return the cost of one of so many."""
        return Cost(self.wall / count, self.cpu / count, self.memory)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.cpu - other.cpu, self.memory)


BROKEN = (
    "def attention(query, key, value, mask=None):\n    return query @ key.T @@ value\n",
    "def atention(query, key, value, mask=None):\n    return query, key\n",
    "def attention(query, key, value, mask=None):\n    raise NotImplementedError\n",
    "import nowhere\n\n\ndef attention(query, key, value, mask=None):\n    return query\n",
    "def attention(query):\n    return query\n",
    "def attention(query, key, value, mask=None):\n    return (query @ key) @ value, None\n",
)
LOOPS = "def attention(query, key, value, mask=None):\n    while True:\n        pass\n"

TESTS = """\
import importlib.util
import os

import pytest
import torch

spec = importlib.util.spec_from_file_location("submission", os.environ["SUBMISSION"])
submission = importlib.util.module_from_spec(spec)
spec.loader.exec_module(submission)


def normal(*shape):
    return torch.randn(*shape, requires_grad=True)


def padded(batch, keys):
    return torch.arange(keys)[None, None, :] < torch.randint(1, keys + 1, (batch, 1, 1))


CASES = {
    "no mask": lambda: ((2, 5, 12), (2, 7, 12), (2, 7, 6), None),
    "mask": lambda: ((2, 5, 10), (2, 7, 10), (2, 7, 6), torch.rand(2, 5, 7) < 0.6),
    "one mask for all samples": lambda: ((4, 5, 10), (4, 7, 10), (4, 7, 6), torch.rand(5, 7) < 0.6),
    "padding": lambda: ((3, 5, 12), (3, 7, 12), (3, 7, 6), padded(3, 7)),
    "causal": lambda: ((3, 7, 12), (3, 7, 12), (3, 7, 12), torch.ones(7, 7).tril().bool()),
    "heads and padding": lambda: ((2, 3, 5, 12), (2, 3, 7, 12), (2, 3, 7, 6), padded(2, 7)[:, None]),
}


def reference(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return weights @ value, weights


@pytest.mark.parametrize("case", CASES)
def test_attention(case):
    torch.manual_seed(0)
    *shapes, mask = CASES[case]()
    arguments = [normal(*shape) for shape in shapes]
    if mask is not None:
        mask[..., 0] = True
    before = [argument.detach().clone() for argument in arguments]
    got, expected = submission.attention(*arguments, mask), reference(*arguments, mask)
    for one, other in zip(got, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    for one, other in zip(arguments, before, strict=True):
        torch.testing.assert_close(one.detach(), other)
    wanted = torch.autograd.grad(expected[0].sum(), arguments)
    for one, other in zip(torch.autograd.grad(got[0].sum(), arguments), wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
"""


def write_course(folder: Path) -> Path:
    """Write a course with `attention` on six cases, as the built-in course has it otherwise."""
    (exercise,) = (ROOT / "exercises").glob("[0-9][0-9]_attention.yaml")
    spec = yaml.safe_load(exercise.read_text(encoding="utf-8"))
    spec["cases"] = [case for case in spec["cases"] if case["name"]["en"] in CASES]
    (folder / "exercises").mkdir(parents=True)
    (folder / "exercises" / "01_attention.yaml").write_text(yaml.safe_dump(spec, allow_unicode=True), encoding="utf-8")
    shutil.copytree(ROOT / "reference_impl", folder / "reference_impl")
    title = {"en": "Benchmark", "zh": "基准"}
    course = {
        "title": title,
        "modules": [{"title": dict(title), "exercises": ["attention"]}],
        "preload": ["torch.nn.functional"],
    }
    (folder / "course.yaml").write_text(yaml.safe_dump(course, allow_unicode=True), encoding="utf-8")
    return folder


def mix(count: int) -> list[str]:
    """Return that many submissions: 60 % right, 30 % wrong, 10 % broken, each made different by a comment."""
    texts = {
        sort: [path.read_text(encoding="utf-8") for path in sorted((SAMPLES / sort / "attention").glob("*.py"))]
        for sort in ("right", "wrong")
    } | {"broken": list(BROKEN)}
    sorts = ["right"] * 6 + ["wrong"] * 3 + ["broken"]
    sorts = sorts[::3] + sorts[1::3] + sorts[2::3]
    chosen = [(sorts[at % 10], at) for at in range(count)]
    return [f"{texts[sort][at % len(texts[sort])]}\n# {at}\n" for sort, at in chosen]


def write_class(folder: Path, texts: Sequence[str]) -> Path:
    """Write one folder a learner."""
    for at, text in enumerate(texts):
        (folder / f"learner{at:04}").mkdir(parents=True)
        (folder / f"learner{at:04}" / "attention.py").write_text(text, encoding="utf-8")
    return folder


def grade(course: Path, submissions: Path, out: Path) -> Cost:
    """Run `grader course grade`; return what it cost."""
    command = [sys.executable, "-m", "grader", "course", "grade", str(submissions), "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    start, used = time.perf_counter(), spent()
    with subprocess.Popen(
        [*command, "--course", str(course), "--jobs", str(JOBS)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        most = 0.0
        while process.poll() is None:
            most = max(most, resident(process.pid))
            time.sleep(0.05)
        assert process.stderr is not None
        if process.returncode:
            sys.exit(process.stderr.read().decode())
    return Cost(time.perf_counter() - start, spent() - used, most)


def spent() -> float:
    """Return the CPU seconds of all processes that have ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident(pid: int) -> float:
    """Return the most memory that a process has had, in MiB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def pytest_cost(folder: Path, texts: Sequence[str]) -> Cost:
    """Return what fresh pytest processes cost for these submissions, two at a time."""
    (folder / "test_attention.py").write_text(TESTS)
    files = []
    for at, text in enumerate(texts):
        files.append(folder / f"submission{at}.py")
        files[-1].write_text(text, encoding="utf-8")

    def one(file: Path) -> None:
        environment = {**os.environ, "SUBMISSION": str(file), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_attention.py"]
        subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )

    start, used = time.perf_counter(), spent()
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(one, files))
    return Cost(time.perf_counter() - start, spent() - used)


def main() -> None:
    """Print submissions a second of both, their ratio, cost by N in wall and in CPU time, and memory."""
    counts = [int(count) for count in sys.argv[1:]] or [50, 200, 1000]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before anything is run")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        course = write_course(folder / "course")
        (folder / "pytest").mkdir()
        fresh = pytest_cost(folder / "pytest", mix(PYTEST_SUBMISSIONS)).by(PYTEST_SUBMISSIONS)
        print(
            f"{'pytest, a fresh process each':<34}{1000 * fresh.wall:>7.0f} ms each, {1000 * fresh.cpu:.0f} ms of CPU"
        )
        warm = write_class(folder / "warm", mix(2))
        base = grade(course, warm, folder / "warm-out")  # starting, and the expectations: paid once, whatever N is
        print(f"{'grader course grade, N = 2':<34}{base.wall:>7.1f} s in all, {base.cpu:.1f} s of CPU: paid once")
        before, least = base, 2
        for count in counts:
            whole = grade(course, write_class(folder / str(count), mix(count)), folder / f"out-{count}")
            more, all_ = (whole - before).by(count - least), whole.by(count)
            print(
                f"{f'grader course grade, N = {count}':<34}{1000 * more.wall:>7.1f} ms for each beyond {least}, "
                f"{1000 * more.cpu:.1f} ms of CPU; all in all {fresh.wall / all_.wall:.0f} times as fast as pytest, "
                f"{fresh.cpu / all_.cpu:.0f} times by CPU; judge {whole.memory:.0f} MiB; load {os.getloadavg()[0]:.1f}"
            )
            before, least = whole, count
        looping = write_class(folder / "loops", [f"{LOOPS}# {at}\n" for at in range(4)])
        each = (grade(course, looping, folder / "loops-out") - base).by(4)
        print(f"{'looping ones, 5 CPU seconds a call':<34}{each.wall:>7.1f} s each, {each.cpu:.1f} s of CPU")


if __name__ == "__main__":
    main()
