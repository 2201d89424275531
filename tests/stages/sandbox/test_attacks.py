"""Every hostile submission of `tests/submissions/hostile` at every level this machine has: its verdict, and nothing gained besides.

A verdict alone proves little, so each run also looks for side effects from outside: files, metadata, processes, shared memory,
a process that should have lived, bytes at listeners; and an honest submission has to be graded right afterwards.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sandbox_plans import exercise

from grader.model import (
    Call,
    IsolationUnavailable,
    Limits,
    Observations,
    Plan,
    Submission,
    Tensor,
    Verdict,
)
from grader.stages.intake import read_submission
from grader.stages.sandbox import Sandbox, open_sandbox

FOLDER = Path(__file__).parents[2] / "submissions" / "hostile"
ATTACKS = sorted([*FOLDER.glob("*/*.py"), *FOLDER.glob("*/*.bin")])
LIMITS = Limits(import_seconds=1.0, call_seconds=1.0, total_seconds=4.0, memory_mb=2048, printed_kb=64, wall_factor=3.0)

SET_UPS: Mapping[str, tuple[str, tuple[str, ...] | None]] = {  # name: (level, layers at most)
    "strict": ("strict", None),
    "landlock": ("best", ("user", "privileges", "landlock")),
    "seccomp": ("best", ("user", "privileges", "seccomp")),
    "none": ("none", None),
}
_ALLOWED = """
ast asyncio code ctypes dis faulthandler fcntl http marshal mmap multiprocessing pickle posix pty resource runpy select
shutil signal socket sqlite3 ssl subprocess tempfile termios tracemalloc urllib zipimport
"""
ALLOWED = tuple(_ALLOWED.split())  # so that it is the lock that stops an attack, not the list of what may be imported


# What gets through where a layer is missing: (set-up, attack). `docs/security.md` says the same in words.
OPEN = {
    "landlock": {"stat_oracle", "daemonize", "userns_escape", "kernel_surface", "net_udp", "write_via_symlink"}
    | {"raw_socket_machine_code", "import_guard"},
    "seccomp": set(),
    "strict": set(),
    "none": {"read_reference_file", "stat_oracle", "tempfile_leftover", "torch_load_pickle", "inherited_fds"},
}

# At level none these reach outside their process, so they are not run there.
OUTSIDE = {
    *("disk_fill", "write_via_symlink", "pycache_poison", "torch_compile", "proc_parent_mem", "ptrace_parent"),
    *("memfd_memory", "raise_rlimits", "fork_bomb", "thread_bomb", "daemonize", "exec_shell", "kill_parent"),
    *("fcntl_sigio_kill", "userns_escape", "kernel_surface", "x32_syscall", "tiocsti", "raw_socket_machine_code"),
    *("net_tcp", "net_udp", "net_abstract_unix", "memory_bomb", "huge_stdout", "environ"),
}


@dataclass
class Scene:
    """What lies around for an attack to find, and what tells whether it did."""

    folder: Path
    user: int
    reached: list[str] = field(default_factory=list)
    victim: subprocess.Popen[bytes] | None = None

    @property
    def reference(self) -> Path:
        return self.folder / "reference.py"

    @property
    def ci_file(self) -> Path:
        return self.folder / "ci_env"

    def reset(self) -> None:
        for path in leftovers():
            path.unlink() if not path.is_dir() or path.is_symlink() else path.rmdir()
        self.ci_file.unlink(missing_ok=True)
        self.ci_file.write_text("orig\n")
        self.ci_file.chmod(0o666)
        self.reached.clear()
        if self.victim is None or self.victim.poll() is not None:
            become = {"user": self.user, "group": self.user, "extra_groups": []} if os.geteuid() == 0 else {}
            self.victim = subprocess.Popen(["sleep", "1000"], **become)  # type: ignore[call-overload]

    def fill(self, source: bytes) -> bytes:
        assert self.victim is not None
        places = {
            b"@REFERENCE_FILE@": str(self.reference),
            b"@GRADER_DIR@": str(FOLDER.parents[2] / "grader"),
            b"@CI_ENV_FILE@": str(self.ci_file),
            b"@VICTIM@": str(self.victim.pid),
        }
        for name, text in places.items():
            source = source.replace(name, text.encode())
        assert not re.search(rb"@[A-Z_]+@", source)
        return source

    def side_effects(self, warm_pid: int) -> list[str]:
        """Everything that a submission did outside its process."""
        assert self.victim is not None
        found = [f"left {path}" for path in leftovers()]
        if self.ci_file.is_file() and self.ci_file.read_text() == "orig\n":
            if self.ci_file.stat().st_mode & 0o777 != 0o666 or self.ci_file.stat().st_mtime < 1e9:
                found.append("metadata changed")
        else:
            found.append("the CI file was changed")
        if self.victim.poll() is not None:
            found.append("a process of the same user was killed")
        found += [f"reached {name}" for name in self.reached]
        found += [f"process {pid} is left" for pid in relatives(warm_pid)]
        return found


def leftovers() -> list[Path]:
    temp = Path(tempfile.gettempdir())
    site, standard = Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))
    named = [temp / name for name in ("torch.py", "sitecustomize.py", "conftest.py")]
    named += [site / "attack.pth", site / "torch/__pycache__/attack.pyc", standard / "usercustomize.py"]
    return [*temp.glob("attack_*"), *Path("/dev/shm").glob("attack_*"), *(p for p in named if os.path.lexists(p))]


def relatives(warm_pid: int) -> list[int]:
    """Living processes that run our child code: children of this warm process, and orphans."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes()
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if b"serve.py" in command and state != "Z" and int(parent) in (1, warm_pid):
                found.append(int(entry.name))
    return found


LISTENERS: Mapping[str, tuple[int, int, Any]] = {
    "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 45872)),
    "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 45871)),
    "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0sbx-abstract"),
}


def listen(scene: Scene, name: str) -> socket.socket:
    family, kind, address = LISTENERS[name]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        if name != "udp":
            listener.listen()
    except OSError:  # another worker of this test run listens already
        listener.close()
        raise

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                if name == "udp":
                    listener.recv(100)
                else:
                    listener.accept()[0].close()
                scene.reached.append(name)

    threading.Thread(target=serve, daemon=True).start()
    return listener


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    os.environ["COURSE_TOKEN"] = "tok-9f3c-1234"
    with tempfile.TemporaryDirectory(prefix="grader-scene-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o777)
        found = Scene(folder, 60577)
        found.reference.write_text(REFERENCE)
        for kind in LISTENERS:
            with contextlib.suppress(OSError):
                stack.enter_context(listen(found, kind))
        yield found
        if found.victim is not None:
            found.victim.kill()
            found.victim.wait()
        found.victim = None
    os.environ.pop("COURSE_TOKEN", None)


REFERENCE = """import torch
def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value
"""


def cases() -> tuple[tuple[Call, ...], dict[str, np.ndarray]]:
    """Eight calls as the attacks expect them, and what is right for each, in float64."""
    rng = np.random.default_rng(11)
    calls, right = [], {}
    for i in range(8):
        q, k, v = (rng.standard_normal((2, 4, 16, 8)).astype(np.float32) for _ in range(3))
        arguments = {name: Tensor("float32", a) for name, a in (("query", q), ("key", k), ("value", v))}
        scores = q.astype(float) @ k.astype(float).swapaxes(-1, -2) / np.sqrt(8)
        if i % 2:
            mask = rng.random((2, 1, 16, 16)) > 0.3
            mask[..., range(16), range(16)] = True
            arguments["mask"] = Tensor("bool", mask)
            scores = np.where(mask, scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        right[f"c{i}"] = weights / weights.sum(-1, keepdims=True) @ v
        calls.append(Call(f"c{i}", f"c{i}", "graded", arguments))
    return tuple(calls), right


CALLS, RIGHT = cases()
EXERCISE = exercise("attention(query, key, value, mask=None)", LIMITS)
PLAN = Plan(EXERCISE, (), CALLS, 0, "cpu", 7)
WITH_HIDDEN = replace(PLAN, calls=(*CALLS[:6], *(replace(call, hidden=True) for call in CALLS[6:])))


def passed(observations: Observations) -> set[str]:
    """The calls that returned the right tensor: what a judge would give points for."""
    good = set()
    for name, observation in observations.calls.items():
        value = observation.value
        if observation.verdict is Verdict.PASSED and isinstance(value, Tensor) and value.dtype == "float32":
            same = value.array.shape == RIGHT[name].shape
            if same and np.isfinite(value.array).all() and np.allclose(value.array, RIGHT[name], rtol=1e-4, atol=1e-5):
                good.add(name)
    return good


def shown(observations: Observations) -> str:
    """Everything of a run that its author gets to see."""
    told = [observations, *observations.calls.values()]
    texts = [f"{one.printed}\n{one.fault}" for one in told]
    return "\n".join([*texts, str(observations.detail)])


@pytest.fixture(scope="session")
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[str, Sandbox]]:
    name = request.param
    level, layers = SET_UPS[name]
    if layers and sys.platform != "linux":
        pytest.skip(f"{name}: not run, only Linux has it")
    try:
        sandbox = open_sandbox(level, preload=ALLOWED, layers=layers)
    except IsolationUnavailable as error:
        pytest.skip(f"{name}: not run, {error}")
    with sandbox:
        missing = [layer for layer in layers or () if layer not in sandbox.isolation.layers and layer != "user"]
        if missing:
            pytest.skip(f"{name}: not run, {missing} does not work here")
        yield name, sandbox


def header(source: bytes, word: str, default: str) -> str:
    found = re.search(rf"^# {word}: (\w+)", source[:600].decode("utf-8", "replace"), re.MULTILINE)
    return found[1] if found else default


@pytest.mark.parametrize(
    "opened",
    ["strict", *(pytest.param(name, marks=pytest.mark.slow) for name in SET_UPS if name != "strict")],
    indirect=True,
)
@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_gains_nothing(path: Path, opened: tuple[str, Sandbox], scene: Scene, tmp_path: Path) -> None:
    set_up, sandbox = opened
    why_not = not_run(path.stem, set_up, path.read_bytes())
    if why_not:
        pytest.skip(f"{path.stem}: not run at {set_up}, {why_not}")
    scene.reset()
    handed_in = tmp_path / "attention.py"
    handed_in.write_bytes(scene.fill(path.read_bytes()))
    submission = read_submission(handed_in, "attention", "attention.py")
    if submission.problem is not None:
        assert path.suffix == ".bin"
        return
    about = WITH_HIDDEN if header(submission.source, "hidden", "no") == "yes" else PLAN
    observations = sandbox.run(about, submission)
    if header(submission.source, "twice", "no") == "yes":
        observations = sandbox.run(about, submission)
    check_verdict(path.stem, set_up, submission.source, observations)
    gained = re.findall(r"EVIDENCE-SUCCESS [^\n]*", shown(observations))
    warm = getattr(getattr(sandbox._runner, "process", None), "pid", -1)
    gained += scene.side_effects(warm)
    if path.stem in OPEN[set_up]:
        assert gained or len(passed(observations)) == 8, "it is stopped: say so in docs/security.md"
    else:
        assert gained == [], observations
    assert len(passed(sandbox.run(PLAN, Submission("attention.py", "attention", REFERENCE.encode())))) == 8


def not_run(name: str, set_up: str, source: bytes) -> str:
    """Why an attack cannot be tried in a set-up, "" when it can."""
    if set_up == "none" and (name in OUTSIDE or header(source, "control", "yes") == "no"):
        return "where it would reach outside"
    if header(source, "needs", "") == "seccomp" and set_up not in ("strict", "seccomp"):
        return "which has no rules for it to try"
    if header(source, "machine", platform.machine()) != platform.machine():
        return "it is written for another machine"
    return ""


def check_verdict(name: str, set_up: str, source: bytes, observations: Observations) -> None:
    """The verdict is the one that the file's header wants, and where it stopped is told right."""
    good = len(passed(observations))
    want = header(source, "want", "fail")
    assert observations.verdict is not Verdict.GRADER_ERROR, observations
    if want == "fail" and name not in OPEN[set_up]:
        assert good < 8, observations
    if want == "pass":
        assert good == 8 or stopped_by_an_import(observations), observations
    expected = ENDS.get(name) or header(source, "ends", "")
    if expected and set_up != "none":
        verdict = observations.verdict
        if verdict is Verdict.PASSED:
            verdict = list(observations.calls.values())[-1].verdict
        assert verdict.value == expected, observations


def stopped_by_an_import(observations: Observations) -> bool:
    faults = [observations.fault, *(o.fault for o in observations.calls.values())]
    return any(f is not None and f.type in ("ImportError", "ModuleNotFoundError") for f in faults)


ENDS = {  # of those whose header does not say
    "infinite_loop": "timed_out",
    "sleep_forever": "timed_out",
    "bigint_gil": "timed_out",
    "block_signals": "timed_out",
    "os_exit_import": "crashed",
    "segfault_ctypes": "crashed",
    "crash_after_done": "crashed",
    "huge_stdout": "crashed",
    "systemexit_in_call": "errored",
    "missing_fn": "errored",
    "wrong_signature": "errored",
}
