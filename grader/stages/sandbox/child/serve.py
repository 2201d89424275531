"""The warm process: imports torch once, then forks one locked child for each submission. Started by the judge as `python -s -S`.

The next child is forked while the judge is busy with the last one, and waits, knowing nothing, until it is handed its submission.

It never sees a submission, an input, an expected value or a secret: those travel in descriptors that it hands on unread. One message is
one JSON object; descriptors ride along. It dies with the judge.

    judge -> {"paths", "preload", "layers"}      what may be imported from where, which layers are wanted
    judge <- {"layers", "why"}                   which layers hold here, and why the others do not
    judge <- {"ready": true} or {"broken": why}, and then, as often as wanted:
    judge -> {"run": limits} + 5 descriptors     request, feed, printed, frames, results
    judge <- {"pid"} + pidfd
    judge -> {"reap": true}                      once it has said its last word or is dead; until then its pid stays its own
    judge <- {"status"}
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHUT = ("landlock", "seccomp", "namespaces")
"""The layers that keep files out of reach, each of them alone."""

PR_CAPBSET_DROP = 24
DESCRIPTORS_HELD = 256

HERE = str(Path(__file__).resolve().parent)

import huge  # type: ignore[import-not-found]  # noqa: E402
import lockdown  # type: ignore[import-not-found]  # noqa: E402
import namespaces  # type: ignore[import-not-found]  # noqa: E402
import prove  # type: ignore[import-not-found]  # noqa: E402
from ahead import DESCRIPTORS, MESSAGE, Keys, fork_ahead  # type: ignore[import-not-found]  # noqa: E402


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    config = json.loads(control.recv(1 << 20))
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(few, min(most, DESCRIPTORS_HELD)), most))
    lockdown.prctl(lockdown.PR_SET_PDEATHSIG, signal.SIGKILL)
    lockdown.prctl(lockdown.PR_SET_CHILD_SUBREAPER, 1)  # what outlives a submission becomes our child, and is ended
    layers, why = prove.layers_that_hold()
    if config["layers"] is not None:
        why.update({name: "not asked for" for name in layers if name not in config["layers"]})
        layers = {name: on for name, on in layers.items() if name in config["layers"]}
    if "privileges" not in layers:  # none of these may be had by a process that can still gain privileges
        for name in SHUT:
            if layers.pop(name, None):
                why[name] = "needs the layer of privileges"
    control.send(json.dumps({"layers": layers, "why": why}).encode())
    if config["probe"]:
        return
    keys = Keys(
        lockdown.landlock_ruleset(lockdown.landlock_abi()) if layers.get("landlock") else -1,
        namespaces.take() if layers.get("namespaces") else -1,
    )
    bound_capabilities()
    if layers.get("privileges"):
        lockdown.prctl(lockdown.PR_SET_DUMPABLE, 0)
    warm_up(config["paths"], config["preload"])
    wrong = what_is_wrong(layers, keys)
    control.send(json.dumps({"broken": wrong} if wrong else {"ready": True}).encode())
    serve(control, layers, keys)


def bound_capabilities() -> None:
    """Give up the right to ever gain a capability by running a program; what this process has, it keeps."""
    for capability in range(64):
        try:
            lockdown.prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # past the last one, or an ordinary user, who has no say in it


def warm_up(paths: list[str], preload: list[str]) -> None:
    """Import torch and what learner code needs besides, and run a little of it, on one thread and without autograd."""
    sys.path[:] = [path for path in sys.path if path and path != HERE] + paths
    sys.path.append(HERE)
    import torch

    torch.set_num_threads(1)
    import job  # type: ignore[import-not-found]
    import torch._subclasses.schema_check_mode  # repr of a tensor looks for it

    for name in preload:
        with contextlib.suppress(ImportError):
            __import__(name)
    q = torch.zeros(1, 2, 4, 8)
    (q @ q.transpose(-1, -2)).masked_fill(torch.ones(4, 4, dtype=torch.bool).tril(), 0.0).softmax(-1)
    repr(q)
    job.rehearse()
    sys.path.remove(HERE)
    globals()["job"] = job
    del q
    gc.collect()
    gc.freeze()


def what_is_wrong(layers: dict[str, Any], keys: Keys) -> str:
    """Prove, in a test child behind the whole lock, that the next one will be held; return "" or what is not as it should be."""
    if Path("/proc/self/task").is_dir() and len(os.listdir("/proc/self/task")) != 1:
        return "more than one thread"

    def act() -> None:
        import torch

        if torch.cuda._is_in_bad_fork():
            raise prove.Holds("a bad fork")
        lockdown.lock(layers, prove.ROOMY, *keys)
        x = torch.ones(1, requires_grad=True)
        torch.autograd.grad(x.sum(), [x])  # raises in a fork of a process whose autograd has threads
        if any(name in layers for name in SHUT):
            prove.look_at_files()
        if layers.get("seccomp"):
            prove.reach_out()

    return str(prove.in_child(act))


def serve(control: socket.socket, layers: dict[str, Any], keys: Keys) -> None:
    """Serve one submission after another, until the judge is gone.

    Every child is forked at the same place with the same things in memory, however long the judge takes: addresses decide the order of a
    set of objects, and the same submission is to give the same results.
    """
    scattered, none = huge.pieces(), iter(())
    turn(control, layers, keys, none)  # practice
    turn(control, layers, keys, none)
    while True:  # whoever comes more often is worth gathering memory for
        turn(control, layers, keys, scattered)


def turn(control: socket.socket, layers: dict[str, Any], keys: Keys, scattered: Iterator[int]) -> None:
    """Fork a child, hand it a submission when there is one, see it off; leave when the judge has gone."""
    while not select.select([control], [], [], 0)[0] and (address := next(scattered, 0)):
        huge.gather(address)  # while the judge is busy with what the last child said
    child = fork_ahead(globals()["job"], control, layers, keys)
    wanted, ancillary = told(control)
    child.hand(wanted["run"], ancillary)
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [child.pidfd]))
    control.sendmsg([json.dumps({"pid": child.pid}).encode()], [rights])
    child.close()
    told(control)  # that it is to be reaped
    status = os.waitpid(child.pid, 0)[1]
    end_leftovers()
    control.send(json.dumps({"status": status}).encode())


def told(control: socket.socket) -> tuple[dict[str, Any], list[Any]]:
    message, ancillary, _, _ = control.recvmsg(MESSAGE, DESCRIPTORS)
    if not message:
        os._exit(0)
    return json.loads(message), ancillary


def end_leftovers() -> None:
    """Kill and reap every process that a submission left; with seccomp in force there is none."""
    with contextlib.suppress(OSError):  # in the end that there is no child
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                    os.kill(int(child), signal.SIGKILL)
                os.waitpid(-1, 0)


if __name__ == "__main__":
    main()
