"""Hostile submissions and honest ones to compare with: what lies around for them to find, and what tells whether they did."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sandbox_plans import exercise

from grader.model import Call, Limits, Observations, Plan, Tensor, Verdict

TEMP = Path(tempfile.gettempdir())
FOLDER = Path(__file__).parents[1] / "submissions" / "hostile"
ATTACKS = sorted([*FOLDER.glob("*/*.py"), *FOLDER.glob("*/*.bin")])
LIMITS = Limits(import_seconds=1.0, call_seconds=1.0, total_seconds=4.0, memory_mb=2048, printed_kb=64, wall_factor=3.0)

_ALLOWED = """
ast asyncio code ctypes dis faulthandler fcntl http marshal mmap multiprocessing pickle posix pty resource runpy select
shutil signal socket sqlite3 ssl subprocess tempfile termios tracemalloc urllib zipimport
"""
ALLOWED = tuple(_ALLOWED.split())  # so that it is the lock that stops an attack, not the list of what may be imported


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
        for key in segments():
            libc = ctypes.CDLL(None)
            libc.shmctl(libc.shmget(key, 0, 0), 0, None)  # IPC_RMID
        for path in leftovers():
            path.unlink() if not path.is_dir() or path.is_symlink() else path.rmdir()
        self.ci_file.unlink(missing_ok=True)
        self.ci_file.write_text("orig\n")
        self.ci_file.chmod(0o666)
        self.reached.clear()
        if self.victim is None or self.victim.poll() is not None:
            become = {"user": self.user, "group": self.user, "extra_groups": []} if os.geteuid() == 0 else {}
            self.victim = subprocess.Popen(["sleep", "100000"], **become)  # type: ignore[call-overload]

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
        found += [f"left shared memory {key:#x}" for key in segments()]
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
    site, standard = Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))
    named = [TEMP / name for name in ("torch.py", "sitecustomize.py", "conftest.py")]
    named += [site / "attack.pth", site / "torch/__pycache__/attack.pyc", standard / "usercustomize.py"]
    return [*TEMP.glob("attack_*"), *Path("/dev/shm").glob("attack_*"), *(p for p in named if os.path.lexists(p))]


def segments() -> list[int]:
    """The keys of shared memory of System V that a submission left, where the system tells: the attacks use this one."""
    table = Path("/proc/sysvipc/shm")
    lines = table.read_text().splitlines()[1:] if table.exists() else []
    return [key for key in (int(line.split()[0]) for line in lines) if key == 0x4242]


def relatives(warm_pid: int) -> list[int]:
    """Living processes that run our child code: children of this warm process, and orphans.

    Not the one that waits for the next submission, which is not locked yet.
    """
    found, waiting = [], []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes()
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if b"serve.py" in command and state != "Z" and int(parent) in (1, warm_pid):
                locked = "NoNewPrivs:\t1" in (entry / "status").read_text()
                (found if locked or int(parent) == 1 else waiting).append(int(entry.name))
    return found + waiting[1:]


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


@contextlib.contextmanager
def a_scene() -> Iterator[Scene]:
    """A folder with a reference, a token in the environment, listeners, and a process that should live."""
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


def header(source: bytes, word: str, default: str) -> str:
    found = re.search(rf"^# {word}: (\w+)", source[:600].decode("utf-8", "replace"), re.MULTILINE)
    return found[1] if found else default
