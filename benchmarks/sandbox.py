"""What grading in a warm, locked process costs, as ratios in this one run: against a bare fork, a fresh python, and pytest.

Everybody runs the same submission on the same calls. `--rounds` and `--seconds` say how long to look.

    warm grade        plan, locked child, comparison, diagnosis, report data; expectations known          goal: 1.5 x a bare fork
    bare fork         a torch process forks, the child runs the file and every call, and leaves; nothing is judged
    fresh python      the same in `python -c`, torch imported anew                                         goal: 30 x a warm grade
    two judges        two of them, each with a warm process of its own                                     goal: 60 x pytest
    pytest            one process a submission, two at a time, comparing with known answers
"""

from __future__ import annotations

import argparse
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

from grader.course.folder import load_course, load_course_mistakes  # noqa: E402
from grader.grade import Settings, grade_exercise, prepare  # noqa: E402
from grader.model import Exercise, Submission, Tensor  # noqa: E402
from grader.stages.plan import plan  # noqa: E402
from grader.stages.sandbox import open_sandbox  # noqa: E402

SLUG = "attention"
SAMPLE = ROOT / "tests" / "submissions" / "right" / SLUG / "textbook.py"


def ready(cache: Path) -> tuple[Exercise, Settings, tuple[str, ...]]:
    course = load_course(ROOT)
    return course.exercises[SLUG], Settings(ROOT, load_course_mistakes(ROOT), cache=cache), course.preload


def submission() -> Submission:
    return Submission("attention.py", SLUG, SAMPLE.read_bytes())


# ---------------------------------------------------------------- the same calls without a grader

RUN_CALLS = """
def run_calls(source, name, calls):
    import torch
    space = {}
    exec(compile(source, "attention.py", "exec"), space)
    results = []
    for arguments, cotangents, gradients_of in calls:
        values = {key: torch.from_numpy(value.copy()) if hasattr(value, "dtype") else value for key, value in arguments.items()}
        for key in gradients_of:
            values[key].requires_grad_(True)
        result = space[name](**values)
        if cotangents:
            parts = result if isinstance(result, tuple) else (result,)
            total = sum((part * torch.from_numpy(factor)).sum() for part, factor in zip(parts, cotangents))
            torch.autograd.grad(total, [values[key] for key in gradients_of], allow_unused=True)
        results.append(result)
    return results
"""
exec(RUN_CALLS)


def plain_calls(exercise: Exercise) -> list[Any]:
    """The calls of the plan as numpy arrays; those in half precision, which numpy has not, as float32."""
    return [
        (
            {name: value.array if isinstance(value, Tensor) else value for name, value in call.arguments.items()},
            [tensor.array for tensor in call.cotangent],
            call.gradients_of,
        )
        for call in plan(exercise).calls
    ]


BARE = (
    RUN_CALLS
    + """
import os, pickle, sys, time
import torch
torch.set_num_threads(1)
source, name, calls = pickle.load(open(sys.argv[1], "rb"))
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        run_calls(source, name, calls)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    print(time.perf_counter() - start, flush=True)
"""
)

FRESH = (
    RUN_CALLS
    + """
import os, pickle, sys
run_calls(*pickle.load(open(sys.argv[1], "rb")))
os._exit(0)
"""
)

PYTEST = """
import pickle
import pytest
import torch

SOURCE, NAME, CALLS, EXPECTED = pickle.load(open({path!r}, "rb"))
{run_calls}

@pytest.fixture(scope="session")
def results():
    return run_calls(SOURCE, NAME, CALLS)

@pytest.mark.parametrize("number", range(len(CALLS)))
def test_call(results, number):
    torch.testing.assert_close(results[number], EXPECTED[number])
"""


class Bare:
    """A torch process that forks for each submission and holds nobody."""

    def __init__(self, folder: Path, work: Path):
        script = folder / "bare.py"
        script.write_text(BARE)
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.process.stdout.readline()

    def __call__(self) -> float:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


# ---------------------------------------------------------------- one submission


def latency(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of one submission, each way in turn, so that all see the same machine."""
    exercise, settings, preload = ready(folder / "expected")
    work = folder / "work.pickle"
    work.write_bytes(pickle.dumps((SAMPLE.read_text(), SLUG, plain_calls(exercise))))
    fresh = folder / "fresh.py"
    fresh.write_text(FRESH)
    bare, handed_in = Bare(folder, work), submission()
    taken: dict[str, list[float]] = {"bare fork": [], "warm grade": [], "fresh python": []}
    with open_sandbox("best", preload=preload) as sandbox:
        known = prepare(exercise, settings)
        result = grade_exercise(exercise, handed_in, settings, sandbox, known)
        assert result.score == result.max_score, result
        for number in range(rounds):
            taken["bare fork"].append(bare())
            taken["warm grade"].append(timed(lambda: grade_exercise(exercise, handed_in, settings, sandbox, known)))
            if number % 10 == 0:
                command = [sys.executable, str(fresh), str(work)]
                taken["fresh python"].append(timed(lambda: subprocess.run(command, check=True)))  # noqa: B023
    bare.close()
    return taken


# ---------------------------------------------------------------- many submissions


def judge(cache: Path, seconds: float) -> int:
    """Grade for so many seconds; return how many submissions were graded."""
    exercise, settings, preload = ready(cache)
    handed_in, count = submission(), 0
    with open_sandbox("best", preload=preload) as sandbox:
        known = prepare(exercise, settings)
        grade_exercise(exercise, handed_in, settings, sandbox, known)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            grade_exercise(exercise, handed_in, settings, sandbox, known)
            count += 1
    return count


def two_judges(cache: Path, seconds: float) -> float:
    with ProcessPoolExecutor(2) as pool:
        return sum(pool.map(judge, (cache, cache), (seconds, seconds))) / seconds


def two_pytests(folder: Path, seconds: float) -> float:
    exercise, _, _ = ready(folder / "expected")
    calls = plain_calls(exercise)
    expected = run_calls(SAMPLE.read_text(), SLUG, calls)  # type: ignore[name-defined]  # noqa: F821
    data = folder / "pytest.pickle"
    data.write_bytes(pickle.dumps((SAMPLE.read_text(), SLUG, calls, expected)))
    test = folder / "test_attention.py"
    test.write_text(PYTEST.format(path=str(data), run_calls=RUN_CALLS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(test)]
    end = time.perf_counter() + seconds

    def work(_: int) -> int:
        count = 0
        while time.perf_counter() < end:
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
            count += 1
        return count

    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(work, range(2))) / (time.perf_counter() - start)


def main() -> None:
    """Print what was measured, and the ratios that have goals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        taken = latency(folder, chosen.rounds)
        many = two_judges(folder / "expected", chosen.seconds)
        pytests = two_pytests(folder, chosen.seconds)
    print(f"{'one submission':<28}{'best ms':>10}{'median ms':>12}")
    for what, seconds in taken.items():
        print(f"{what:<28}{min(seconds) * 1e3:>10.1f}{statistics.median(seconds) * 1e3:>12.1f}")
    print(f"\n{'many submissions, two at a time':<40}{'a second':>10}")
    print(f"{'two judges, two warm processes':<40}{many:>10.1f}\n{'pytest, a process each':<40}{pytests:>10.2f}")
    best = {what: min(seconds) for what, seconds in taken.items()}
    middle = {what: statistics.median(seconds) for what, seconds in taken.items()}
    print(f"\n{'ratio':<40}{'of best':>10}{'of median':>12}{'goal':>10}")
    for what, over, under, goal in (
        ("warm grade / bare fork", "warm grade", "bare fork", "<= 1.5"),
        ("fresh python / warm grade", "fresh python", "warm grade", ">= 30"),
    ):
        print(f"{what:<40}{best[over] / best[under]:>10.2f}{middle[over] / middle[under]:>12.2f}{goal:>10}")
    print(f"{'two judges / two pytests':<40}{'':>10}{many / pytests:>12.1f}{'>= 60':>10}")


if __name__ == "__main__":
    main()
