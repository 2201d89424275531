"""Every hostile submission of `tests/submissions/hostile` at every level this machine has: its verdict, and nothing gained besides.

A verdict alone proves little, so each run also looks for side effects from outside: files, metadata, processes, shared memory,
a process that should have lived, bytes at listeners; and an honest submission has to be graded right afterwards.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hostile import ALLOWED, ATTACKS, PLAN, REFERENCE, WITH_HIDDEN, Scene, a_scene, header, passed, shown

from grader.model import IsolationUnavailable, Observations, Submission, Verdict
from grader.stages.intake import read_submission
from grader.stages.sandbox import Sandbox, open_sandbox

SET_UPS: Mapping[str, tuple[str, tuple[str, ...] | None]] = {  # name: (level, layers at most)
    "strict": ("strict", None),
    "landlock": ("best", ("user", "privileges", "landlock")),
    "namespaces": ("best", ("user", "privileges", "namespaces")),
    "seccomp": ("best", ("user", "privileges", "seccomp")),
    "none": ("none", None),
}

# What gets through where a layer is missing: (set-up, attack). `docs/security.md` says the same in words.
OPEN = {
    "landlock": {"stat_oracle", "daemonize", "userns_escape", "kernel_surface", "net_udp", "write_via_symlink"}
    | {"raw_socket_machine_code", "import_guard"},
    "namespaces": {"daemonize", "kernel_surface", "fcntl_sigio_kill", "raw_socket_machine_code", "import_guard"},
    "seccomp": set(),
    "strict": set(),
    "none": {
        "read_reference_file",
        "stat_oracle",
        "tempfile_leftover",
        "torch_load_pickle",
        "inherited_fds",
        "import_guard",
    },
}

# What these ask for is given, by a stand-in of ours that does nothing: only what they leave behind counts.
STAND_IN = {"torch_compile"}

# At level none these reach outside their process, so they are not run there.
OUTSIDE = {
    *("disk_fill", "write_via_symlink", "pycache_poison", "torch_compile", "proc_parent_mem", "ptrace_parent"),
    *("memfd_memory", "raise_rlimits", "fork_bomb", "thread_bomb", "daemonize", "exec_shell", "kill_parent"),
    *("fcntl_sigio_kill", "userns_escape", "kernel_surface", "x32_syscall", "tiocsti", "raw_socket_machine_code"),
    *("net_tcp", "net_udp", "net_abstract_unix", "memory_bomb", "huge_stdout", "environ"),
}


OWN = {path.stem for path in ATTACKS if path.parent.name == "own"}


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    with a_scene() as found:
        yield found


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
    gained = [] if path.stem in STAND_IN else re.findall(r"EVIDENCE-SUCCESS [^\n]*", shown(observations))
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
    if name in OWN and observations.fault is not None:
        assert observations.fault.kind != "import", "the attack does not get as far as it means to"
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
