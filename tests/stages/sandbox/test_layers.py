"""Levels: what strict demands, what best says it has, and what happens when something of ours fails."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sandbox_plans import call, plan

from grader.model import IsolationUnavailable, Limits, Observations, Submission, Tensor, Verdict
from grader.stages.faults import AFTER
from grader.stages.sandbox import LAYERS, OPTIONAL, Sandbox, Trouble, isolation_facts, open_sandbox, warm
from grader.stages.sandbox.start import CHILD, environment
from grader.stages.sandbox.warm import Warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="layers are for Linux")

HONEST = Submission("f.py", "f", b"def f(x):\n    return x + 1")


HOLDS = {fact.layer for fact in isolation_facts() if fact.holds}

needs_strict = pytest.mark.skipif(
    not set(LAYERS) - {"user", *OPTIONAL} <= HOLDS, reason="strict isolation: not run, not to be had here"
)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("best") as opened:
        yield opened


def answer(observations: Observations) -> Any:
    return observations.calls["one"].value


def test_the_facts_name_each_layer_once_and_say_why_one_does_not_hold() -> None:
    facts = isolation_facts()
    assert [f.layer for f in facts] == [name for name in LAYERS if name != "user" or os.geteuid() == 0]
    assert all(fact.holds or fact.why for fact in facts)


@needs_strict
def test_strict_has_every_layer_and_no_doubt() -> None:
    with open_sandbox("strict") as opened:
        assert opened.isolation.level == "strict"
        assert set(opened.isolation.layers) >= {"limits", "privileges", "landlock", "seccomp"}
        assert ("user" in opened.isolation.layers) == (os.geteuid() == 0)
        assert opened.isolation.keeps_answers
        assert opened.isolation.note is None
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


@needs_strict
@pytest.mark.parametrize("missing", ["privileges", "landlock", "seccomp"])
def test_strict_is_refused_when_one_layer_is_missing_and_best_does_without(missing: str) -> None:
    layers = [layer for layer in LAYERS if layer != missing]
    with pytest.raises(IsolationUnavailable) as caught:
        open_sandbox("strict", layers=layers)
    assert f"{missing}: not asked for" in caught.value.why.fields["layers"]
    with open_sandbox("best", layers=layers) as opened:
        assert missing not in opened.isolation.layers
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


@pytest.mark.parametrize(
    ("level", "layers"),
    [("none", None), ("best", ()), ("best", ("user", "privileges")), ("best", ("privileges", "namespaces"))],
)
def test_what_keeps_no_answers_says_so(level: str, layers: tuple[str, ...] | None) -> None:
    with open_sandbox(level, layers=layers) as opened:
        assert not opened.isolation.keeps_answers
        assert opened.isolation.note is not None
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


def test_an_unknown_level_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="sturdy"):
        open_sandbox("sturdy")


def test_a_dead_warm_process_is_replaced(sandbox: Sandbox) -> None:
    assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2
    os.kill(sandbox._runner.process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    assert answer(sandbox.run(plan(call("one", x=5)), HONEST)) == 6


def test_a_warm_process_that_dies_during_a_run_costs_the_learner_nothing(sandbox: Sandbox) -> None:
    assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2
    warm = sandbox._runner.process.pid  # type: ignore[attr-defined]
    threading.Timer(0.3, os.kill, (warm, signal.SIGKILL)).start()
    slow = Submission("f.py", "f", b"import time\ndef f(x):\n    time.sleep(0.8)\n    return x + 1")
    assert answer(sandbox.run(plan(call("one", x=5)), slow)) == 6
    assert sandbox._runner.process.pid != warm  # type: ignore[attr-defined]


def test_what_fails_twice_is_our_fault_and_nobodys_zero(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*about: Any) -> Any:
        raise Trouble("it rains")

    monkeypatch.setattr("grader.stages.sandbox.warm.Warm.run", fail)
    observations = sandbox.run(plan(call("one", x=1)), HONEST)
    assert (observations.verdict, observations.calls) == (Verdict.GRADER_ERROR, {})
    assert observations.detail is not None
    assert observations.detail.fields == {"reason": "it rains"}


def test_waiting_too_long_is_tried_twice_and_computing_too_long_once(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    original = sandbox._surely
    monkeypatch.setattr(sandbox, "_surely", lambda *about, **more: runs.append(1) or original(*about, **more))
    short = Limits(call_seconds=0.3, import_seconds=2, total_seconds=5, memory_mb=512, wall_factor=8)
    sleeper = Submission("f.py", "f", b"import time\ndef f(x):\n    time.sleep(9)")
    observations = sandbox.run(plan(call("one", x=1), limits=short), sleeper)
    assert observations.calls["one"].verdict is Verdict.TIMED_OUT
    assert observations.detail is not None
    assert "waited" in observations.detail.template
    assert observations.detail.template in AFTER, "its next step is not told"
    assert len(runs) == 2
    runs.clear()
    looper = Submission("f.py", "f", b"def f(x):\n    while True: pass")
    assert sandbox.run(plan(call("one", x=1), limits=short), looper).calls["one"].verdict is Verdict.TIMED_OUT
    assert len(runs) == 1


def test_a_run_ends_within_its_total_however_many_calls_it_has(sandbox: Sandbox) -> None:
    short = Limits(call_seconds=0.4, import_seconds=2, total_seconds=1.0, memory_mb=512, wall_factor=5)
    slow = Submission(
        "f.py",
        "f",
        b"import time\ndef f(x):\n    end = time.process_time() + 0.3\n    while time.process_time() < end: pass",
    )
    started = time.monotonic()
    observations = sandbox.run(plan(*(call(f"c{i}", x=i) for i in range(40)), limits=short), slow)
    assert time.monotonic() - started < 40  # of a busy machine
    assert list(observations.calls.values())[-1].verdict is Verdict.TIMED_OUT
    assert 2 <= len(observations.calls) <= 5


def test_closing_ends_the_warm_process() -> None:
    sandbox = open_sandbox("best")
    process = sandbox._runner.process  # type: ignore[attr-defined]
    sandbox.close()
    assert process.poll() is not None


def test_the_warm_process_has_nothing_of_the_judges_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_TOKEN", "tok-9f3c-warm")
    with open_sandbox("best") as opened:
        path = Path(f"/proc/{opened._runner.process.pid}/environ")  # type: ignore[attr-defined]
        if os.geteuid() != 0:  # its own user may not look, for it is undumpable
            opened._runner.wait()
            assert not os.access(path, os.R_OK)
            return
        seen = path.read_bytes()
    assert b"PYTHONHASHSEED=0" in seen
    assert b"tok-9f3c" not in seen


def test_what_starts_a_thread_or_a_process_before_the_lock_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the layers are put on one thread, so any other could do what the learner's code cannot, on its behalf
    (tmp_path / "starts_a_thread.py").write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()"
    )
    (tmp_path / "starts_a_process.py").write_text("import os, time\nif os.fork() == 0: time.sleep(9); os._exit(0)")
    (tmp_path / "harmless.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["starts_a_thread", "starts_a_process", "harmless"]
    with open_sandbox("best", preload=names) as opened:
        for name in names:
            source = f"import {name}\ndef f(x):\n    return x + 1".encode()
            observations = opened.run(plan(call("one", x=1)), Submission("f.py", "f", source))
            if name == "harmless":
                assert answer(observations) == 2
            else:
                assert observations.verdict is Verdict.CRASHED
                assert observations.detail is not None
                assert "imports" in observations.detail.template


def test_a_warm_process_that_cannot_be_started_is_told_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(Trouble, match="cannot be started"):
        Warm((), ())
    with pytest.raises(IsolationUnavailable):
        open_sandbox("strict")


HEADERS = {  # where a distribution puts the kernel's own list
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", HEADERS)
def test_system_calls_have_the_numbers_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip(f"{machine}: not compared, there is no {HEADERS[machine]}")
    defined = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    numbers = {name: int(number) for name, number in defined}
    numbers.setdefault("newfstatat", numbers.get("fstatat", -1))
    sys.path.insert(0, str(CHILD))
    try:
        ours = importlib.import_module("syscalls").NUMBERS[machine]
    finally:
        sys.path.remove(str(CHILD))
    assert ours == {name: numbers.get(name) for name in ours}


def test_devices_are_hidden_where_none_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert environment(on_gpu=False)["CUDA_VISIBLE_DEVICES"] == "-1"
    assert environment(on_gpu=True)["CUDA_VISIBLE_DEVICES"] == "0,1"
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert "CUDA_VISIBLE_DEVICES" not in environment(on_gpu=True)


REHEARSAL = """
import os, sys, tempfile
sys.path.append(sys.argv[1])
import job, torch
torch.set_num_threads(1)
with tempfile.NamedTemporaryFile() as said:
    os.devnull = said.name
    job.rehearse()
    data, tags = said.read(), ""
while data:
    tags += chr(data[0])
    data = data[5 + int.from_bytes(data[1:5], "little") :]
print(tags, len(os.listdir("/proc/self/task")))
"""


def test_each_call_of_the_rehearsal_returns_and_no_thread_is_started() -> None:
    said = subprocess.run(
        [sys.executable, "-c", REHEARSAL, str(CHILD)], env=environment(on_gpu=False), capture_output=True, text=True
    )
    tags, threads = said.stdout.split()
    assert tags + "R" in ("BR" * 24, "BR" * 12), said  # the last word waits for the next one
    assert threads == "1"


def test_a_run_that_ends_while_it_is_cancelled_is_not_let_go_before(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, raised = warm.held, []

    def held_by_the_slow(*about: Any) -> Any:
        child = held(*about)
        kill = child.kill

        def slowly() -> None:
            if threading.current_thread() is canceller:
                time.sleep(1.0)  # meanwhile the run ends by itself
            kill()

        child.kill = slowly
        return child

    def cancel() -> None:
        while sandbox._runner.child is None:  # type: ignore[attr-defined]
            time.sleep(0.001)
        try:
            sandbox.cancel()
        except OSError as error:  # a descriptor that is closed, or by now another one
            raised.append(error)

    monkeypatch.setattr(warm, "held", held_by_the_slow)
    canceller = threading.Thread(target=cancel)
    canceller.start()
    source = b"import time\ndef f(x):\n    time.sleep(0.3)\n    return x + 1"
    sandbox.run(plan(call("one", x=1)), Submission("f.py", "f", source))
    canceller.join()
    assert raised == []
    assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2


@pytest.mark.slow
def test_at_level_none_a_run_that_is_over_is_not_cancelled_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    with open_sandbox("none") as sandbox:
        assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2
        monkeypatch.setattr(os, "killpg", lambda group, number: killed.append(group))
        sandbox.cancel()
        assert killed == []  # by now its number may be that of others
        monkeypatch.undo()


def waiting(sandbox: Sandbox) -> int:
    """The child that was forked for the next submission, once it is there."""
    runner = sandbox._runner
    assert isinstance(runner, Warm)
    runner.wait()
    warm_pid = runner.process.pid
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = Path(f"/proc/{warm_pid}/task/{warm_pid}/children").read_text().split()
        if found:
            return int(found[0])
        time.sleep(0.01)
    raise AssertionError("no child waits")


def gone(pid: int, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_a_submission_gets_the_child_that_waits_and_the_next_one_another(sandbox: Sandbox) -> None:
    first = waiting(sandbox)
    who = Submission("f.py", "f", b"import torch, os\ndef f(x):\n    return x * 0 + float(os.getpid())")
    asked = plan(call("one", x=torch_one()))
    assert answer(sandbox.run(asked, who)).array.tolist() == [float(first)]
    second = waiting(sandbox)
    assert second != first
    assert answer(sandbox.run(asked, who)).array.tolist() == [float(second)]


def torch_one() -> Tensor:
    return Tensor("float64", np.ones(1))


def test_a_waiting_child_that_is_killed_costs_nothing(sandbox: Sandbox) -> None:
    for _ in range(3):
        os.kill(waiting(sandbox), signal.SIGKILL)
        assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2


def test_the_waiting_child_goes_with_the_warm_process() -> None:
    with open_sandbox("best") as opened:
        child = waiting(opened)
    assert gone(child)
    with open_sandbox("best") as opened:
        child = waiting(opened)
        os.kill(opened._runner.process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
        assert gone(child)
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


def test_a_waiting_child_knows_nothing_of_the_last_submission(sandbox: Sandbox) -> None:
    leave = Submission(
        "f.py", "f", b"import builtins, torch\nbuiltins.secret = 41\ntorch.secret = 41\ndef f(x):\n    return x"
    )
    look = Submission(
        "f.py",
        "f",
        b"import builtins, torch\ndef f(x):\n    return [hasattr(builtins, 'secret'), hasattr(torch, 'secret')]",
    )
    sandbox.run(plan(call("one", x=1)), leave)
    waiting(sandbox)
    assert answer(sandbox.run(plan(call("one", x=1)), look)) == [False, False]


needs_namespaces = pytest.mark.skipif("namespaces" not in HOLDS, reason="namespaces: not run, not to be had here")


@needs_namespaces
def test_strict_does_without_namespaces() -> None:
    with open_sandbox("strict", layers=[name for name in LAYERS if name != "namespaces"]) as opened:
        assert "namespaces" not in opened.isolation.layers
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="a user of its own: not run, only root can give one")
def test_namespaces_and_another_user_keep_the_answers() -> None:
    with open_sandbox("best", layers=("user", "privileges", "namespaces")) as opened:
        assert opened.isolation.keeps_answers
        assert answer(opened.run(plan(call("one", x=1)), HONEST)) == 2


@needs_namespaces
def test_the_root_is_an_empty_folder_that_nothing_can_be_put_into() -> None:
    source = b"""
import os
def f(x):
    said = [os.getcwd(), os.listdir("/"), os.listdir("..")]
    for act in (lambda: open("/x", "w"), lambda: os.mkdir("/x"), lambda: os.stat("/proc"), lambda: os.chroot("/")):
        try:
            act()
            said.append("done")
        except OSError as error:
            said.append(type(error).__name__)
    return said
"""
    with open_sandbox("best", layers=("user", "privileges", "namespaces")) as opened:
        found = answer(opened.run(plan(call("one", x=1)), Submission("f.py", "f", source)))
    assert found == ["/", [], [], "OSError", "OSError", "FileNotFoundError", "PermissionError"]


@needs_namespaces
def test_nothing_of_ours_is_mounted_or_moved(sandbox: Sandbox) -> None:
    before = Path("/proc/self/mounts").read_text()
    assert "namespaces" in sandbox.isolation.layers
    assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2
    assert Path("/proc/self/mounts").read_text() == before
    warm = sandbox._runner.process.pid  # type: ignore[attr-defined]
    for name in ("net", "mnt", "ipc", "uts") if os.geteuid() == 0 else ():  # others may not look
        assert Path(f"/proc/{warm}/ns/{name}").readlink() != Path(f"/proc/self/ns/{name}").readlink()


WITHOUT = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
"""Runs a program as root is in most containers."""


@needs_strict
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="root without a capability: not run, not to be had here",
)
def test_root_in_a_container_has_all_layers_but_namespaces() -> None:
    program = (
        "from grader.stages.sandbox import isolation_facts, open_sandbox\n"
        "print({fact.layer: fact.why or fact.holds for fact in isolation_facts()})\n"
        "with open_sandbox('strict') as opened:\n    opened._runner.wait()\n    print(opened.isolation.layers)"
    )
    ran = subprocess.run([*WITHOUT, sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    facts, layers = ran.stdout.splitlines()
    assert "'namespaces': '[Errno 1] unshare: Operation not permitted'" in facts
    assert layers == "('limits', 'user', 'privileges', 'landlock', 'seccomp')"


def test_what_lies_where_does_not_depend_on_how_long_the_judge_takes(sandbox: Sandbox) -> None:
    """Addresses decide the order of a set of objects: the same submission has to give the same results."""
    source = b"class A: pass\nids = [id(A()) for _ in range(3)] + [id(o) for o in [A() for _ in range(40)]]\ndef f(x):\n    return ids"
    seen = []
    for pause in (0, 0, 0.3, 0, 0.02, 0.6, 0, 0.005):
        time.sleep(pause)
        seen.append(answer(sandbox.run(plan(call("one", x=1)), Submission("f.py", "f", source))))
    assert seen == seen[:1] * len(seen)


def fixed_addresses() -> bool:
    """Whether this system lets a process ask for that."""
    libc = ctypes.CDLL(None)
    now = libc.personality(0xFFFFFFFF)
    return (
        now >= 0
        and libc.personality(now) >= 0
        and subprocess.run(["setarch", "-R", "true"], check=False).returncode == 0
    )


@pytest.mark.skipif(
    shutil.which("setarch") is None or not fixed_addresses(), reason="fixed addresses: not run, not to be had here"
)
def test_what_lies_where_is_the_same_in_every_warm_process() -> None:
    source = b"class A: pass\nobjects = [A() for _ in range(40)]\ndef f(x):\n    return [objects.index(o) for o in set(objects)]"
    seen = []
    for _ in range(2):
        with open_sandbox("best") as opened:
            seen.append(answer(opened.run(plan(call("one", x=1)), Submission("f.py", "f", source))))
    assert seen[0] == seen[1] != sorted(seen[0])


def test_after_an_interrupt_the_next_run_is_right(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    real = warm.watch

    def interrupted(*about: Any) -> Any:
        real(*about)
        raise KeyboardInterrupt

    assert answer(sandbox.run(plan(call("one", x=1)), HONEST)) == 2
    with monkeypatch.context() as patched:
        patched.setattr(warm, "watch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(plan(call("one", x=1)), HONEST)
    for number in (5, 6):
        assert answer(sandbox.run(plan(call("one", x=number)), HONEST)) == number + 1


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="root without a capability: not run, not to be had here",
)
def test_a_user_whose_processes_cannot_be_ended_is_none() -> None:
    program = (
        "from grader.stages.sandbox import isolation_facts\n"
        "print({fact.layer: fact.why or fact.holds for fact in isolation_facts()}['user'])"
    )
    command = ["setpriv", "--bounding-set=-kill", "--inh-caps=-kill", sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout == "[Errno 1] Operation not permitted\n", ran.stderr


@needs_namespaces
def test_shared_memory_of_system_v_ends_with_its_process() -> None:
    source = b"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def f(x):
    return [libc.shmget(0x5151, 4096, 0o666), libc.shmget(0x5151, 4096, 0o1666) >= 0]
"""
    with open_sandbox("best", layers=("user", "privileges", "namespaces"), preload=("ctypes",)) as opened:
        who = Submission("f.py", "f", source)
        assert [answer(opened.run(plan(call("one", x=1)), who)) for _ in range(2)] == [[-1, True]] * 2
