"""Many submissions through one runner, a third of them hostile: every record right, and nothing left of any of them."""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile import ALLOWED, ATTACKS, PLAN, REFERENCE, WITH_HIDDEN, Scene, a_scene, header, leftovers, passed, shown

from grader.model import Observations, Plan, Submission, Verdict
from grader.stages.intake import read_submission
from grader.stages.sandbox import Sandbox, open_sandbox
from grader.stages.sandbox.warm import Warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a warm process is for Linux")

ALL = {f"c{i}" for i in range(8)}

# Each takes seconds by its nature; `test_attacks.py` runs them one by one.
SLOW = {
    *(
        "bigint_gil",
        "infinite_loop",
        "block_signals",
        "sleep_forever",
        "memory_bomb",
        "deep_recursion",
        "torch_compile",
    ),
    *("huge_output", "exception_str_bomb", "forge_area", "forge_objects", "memory_full", "fault_handler_loop"),
    *("dispatch_mode", "module_lies", "forge_wishes", "odd_containers"),
}


@dataclass(frozen=True)
class Sample:
    """A submission, and whether what came of it is right."""

    name: str
    source: bytes
    is_right: Callable[[Observations], bool]
    plan: Plan = PLAN


def honest() -> Iterator[Sample]:
    """Right, wrong and broken ones, each with what has to be recorded."""
    right = REFERENCE.encode()
    yield Sample("right", right, lambda o: passed(o) == ALL)
    yield Sample("right, with hidden calls", right, lambda o: passed(o) == ALL, WITH_HIDDEN)
    unscaled = REFERENCE.replace(" / query.shape[-1] ** 0.5", "").encode()
    yield Sample("unscaled", unscaled, lambda o: passed(o) == set() and set(o.calls) == ALL)
    no_mask = REFERENCE.replace("if mask is not None", "if False").encode()
    yield Sample("without the mask", no_mask, lambda o: passed(o) == {"c0", "c2", "c4", "c6"})
    raising = REFERENCE.replace("if mask is not None:", "if mask is not None:\n        raise KeyError('mask')").encode()
    yield Sample("raises", raising, lambda o: errors(o, "KeyError") == {"c1", "c3", "c5", "c7"})
    yield Sample("no function", b"x = 1", lambda o: o.fault is not None and o.fault.kind == "missing")
    yield Sample("a syntax error", b"def attention(:", lambda o: o.fault is not None and o.fault.kind == "syntax")
    chatty = b"print('loading')\n" + REFERENCE.replace("scores =", "print(query.shape)\n    scores =", 1).encode()
    yield Sample("prints", chatty, lambda o: passed(o) == ALL and o.printed == "loading\n" and "torch.Size" in shown(o))
    other = b"import math, functools\nfrom torch import nn\nimport torch.nn.functional as F\n" + right
    yield Sample("imports", other, lambda o: passed(o) == ALL)


def errors(observations: Observations, kind: str) -> set[str]:
    return {name for name, o in observations.calls.items() if o.fault is not None and o.fault.type == kind}


def hostile(scene: Scene, folder: Path) -> Iterator[Sample]:
    for path in ATTACKS:
        data = path.read_bytes()
        if path.stem in SLOW or path.suffix != ".py" or header(data, "ends", "") == "timed_out":
            continue
        handed_in = folder / "attention.py"
        handed_in.write_bytes(scene.fill(data))
        source = read_submission(handed_in, "attention", "attention.py").source
        if source:
            plan = WITH_HIDDEN if header(data, "hidden", "no") == "yes" else PLAN
            yield Sample(path.stem, source, harmless(header(data, "want", "fail")), plan)


def harmless(want: str) -> Callable[[Observations], bool]:
    def is_right(observations: Observations) -> bool:
        told = [observations, *observations.calls.values()]
        if any(one.verdict is Verdict.GRADER_ERROR for one in told) or "EVIDENCE-SUCCESS" in shown(observations):
            return False
        return want != "fail" or len(passed(observations)) < 8

    return is_right


@dataclass
class Held:
    """What the judge and the warm process hold: descriptors, memory in MB, children."""

    judge_descriptors: int
    warm_descriptors: int
    judge_memory: float
    warm_memory: float
    children: int

    @staticmethod
    def now(warm: int) -> Held:
        gc.collect()
        end = time.monotonic() + 10
        while not (of_warm := [pid for pid in pids() if parent(pid) == warm]) and time.monotonic() < end:
            time.sleep(0.01)  # until the child for the next submission is there
        time.sleep(0.1)  # and its descriptors are closed on our side
        children = [pid for pid in pids() if parent(pid) == os.getpid()] + of_warm
        return Held(descriptors(os.getpid()), descriptors(warm), memory(os.getpid()), memory(warm), len(children))


def pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:  # an ordinary user may not look into a process that is undumpable
        return 0


def memory(pid: int) -> float:
    words = Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def shared_memory() -> set[str]:
    """What lies in shared memory, but for semaphores that pools of other tests come and go with."""
    found = Path("/dev/shm").iterdir() if Path("/dev/shm").is_dir() else ()
    return {entry.name for entry in found if not (entry.name.startswith("sem.mp-") and owner(entry) == os.geteuid())}


def owner(path: Path) -> int:
    """The user whom a file belongs to, -1 when it is gone."""
    try:
        return path.lstat().st_uid
    except OSError:
        return -1


def warm_pid(sandbox: Sandbox) -> int:
    assert isinstance(sandbox._runner, Warm)
    sandbox._runner.wait()
    return sandbox._runner.process.pid


def soak(count: int, kill_every: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `count` submissions, two thirds of them honest; end the warm process, mostly during a run, every so often."""
    rng = random.Random(count)
    temporary = folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))  # of the judge: others use the real one
    with a_scene() as scene, open_sandbox("best", preload=ALLOWED) as sandbox:
        scene.reset()
        kinds = (list(honest()), list(honest()), list(hostile(scene, folder)))
        for sample in kinds[0]:  # what is loaded once is loaded then
            sandbox.run(sample.plan, Submission("attention.py", "attention", sample.source))
        before, at_start, files = Held.now(warm_pid(sandbox)), shared_memory(), set(temporary.iterdir())
        for number in range(count):
            sample = kinds[number % 3][rng.randrange(len(kinds[number % 3]))]
            timer = None
            if kill_every and number % kill_every == kill_every - 1:
                timer = threading.Timer(rng.random() * 0.03, os.kill, (warm_pid(sandbox), signal.SIGKILL))
                timer.start()
            observations = sandbox.run(sample.plan, Submission("attention.py", "attention", sample.source))
            assert sample.is_right(observations), (number, sample.name, observations)
            if timer is not None:
                timer.join()
        if kill_every:  # the last one may have come after its run
            sandbox.run(PLAN, Submission("attention.py", "attention", REFERENCE.encode()))
        after = Held.now(warm_pid(sandbox))
        warm = warm_pid(sandbox)
        assert scene.side_effects(warm) == []
        assert (shared_memory() - at_start, set(temporary.iterdir()), leftovers()) == (set(), files, [])
    assert (after.judge_descriptors, after.warm_descriptors) == (before.judge_descriptors, before.warm_descriptors)
    assert after.children == before.children
    assert after.warm_memory < before.warm_memory + 8, (before, after)
    assert after.judge_memory < before.judge_memory + 64, (before, after)


def test_sixty_submissions_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soak(60, 30, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kill_every", [0, 50])
def test_two_thousand_submissions_leave_nothing(
    kill_every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    soak(2000, kill_every, tmp_path, monkeypatch)
