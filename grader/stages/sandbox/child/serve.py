"""The warm process: imports torch once, then forks one locked child for each submission. Started by the judge as `python -s -S`.

The next child is forked while the judge is busy with the last one, and waits, knowing nothing, until it is handed its submission.

It never sees a submission, an input, an expected value or a secret: those travel in descriptors that it hands on unread. One message is
one JSON object; descriptors ride along. It dies with the judge.

    judge -> {"paths", "preload", "layers"}      what may be imported from where, which layers are wanted
    judge <- {"layers", "why"}                   which layers hold here, and why the others do not
    judge <- {"ready": true} or {"broken": why}
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
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

HERE = str(Path(__file__).resolve().parent)

import huge  # type: ignore[import-not-found]  # noqa: E402
import lockdown  # type: ignore[import-not-found]  # noqa: E402
import namespaces  # type: ignore[import-not-found]  # noqa: E402
import prove  # type: ignore[import-not-found]  # noqa: E402
from ahead import DESCRIPTORS, MESSAGE, Ahead, Keys, fork_ahead  # type: ignore[import-not-found]  # noqa: E402


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    config = json.loads(control.recv(1 << 20))
    lockdown.prctl(lockdown.PR_SET_PDEATHSIG, signal.SIGKILL)
    lockdown.prctl(lockdown.PR_SET_CHILD_SUBREAPER, 1)  # what outlives a submission becomes our child, and is ended
    layers, why = prove.layers_that_hold()
    if config["layers"] is not None:
        why.update({name: "not asked for" for name in layers if name not in config["layers"]})
        layers = {name: on for name, on in layers.items() if name in config["layers"]}
    if "privileges" not in layers:  # neither may be had by a process that can still gain privileges
        for name in ("landlock", "seccomp", "namespaces"):
            if layers.pop(name, None):
                why[name] = "needs the layer of privileges"
    control.send(json.dumps({"layers": layers, "why": why}).encode())
    if config["probe"]:
        return
    keys = Keys(
        lockdown.landlock_ruleset(lockdown.landlock_abi()) if layers.get("landlock") else -1,
        namespaces.take() if layers.get("namespaces") else -1,
    )
    lockdown.bound_capabilities()
    if layers.get("privileges"):
        lockdown.prctl(lockdown.PR_SET_DUMPABLE, 0)
    warm_up(config["paths"], config["preload"])
    wrong = what_is_wrong(layers, keys)
    control.send(json.dumps({"broken": wrong} if wrong else {"ready": True}).encode())
    serve(control, layers, keys)


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
        if {"landlock", "seccomp", "namespaces"} & set(layers):
            prove.look_at_files()
        if layers.get("seccomp"):
            prove.reach_out()

    return str(prove.in_child(act))


def serve(control: socket.socket, layers: dict[str, Any], keys: Keys) -> None:
    running, runs = 0, 0  # the pid of the child that has a submission, 0 for none
    scattered: list[int] = []
    ahead: Ahead | None = None
    while True:
        while not running and not select.select([control], [], [], 0)[0]:  # the judge is busy with what was said
            if scattered:  # before the next fork, which then has less to copy
                huge.gather(scattered.pop())
            elif ahead is None:
                ahead = fork_ahead(globals()["job"], control, layers, keys)
            else:
                break
        message, ancillary, _, _ = control.recvmsg(MESSAGE, DESCRIPTORS)
        if not message:
            os._exit(0)
        wanted = json.loads(message)
        if "reap" in wanted:
            status = os.waitpid(running, 0)[1]
            end_leftovers()
            control.send(json.dumps({"status": status}).encode())
            running, runs = 0, runs + 1
            if runs == 1:  # whoever comes once more may come often
                scattered = list(huge.pieces())
            continue
        child = ahead or fork_ahead(globals()["job"], control, layers, keys)
        child.hand(wanted["run"], ancillary)
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [child.pidfd]))
        control.sendmsg([json.dumps({"pid": child.pid}).encode()], [rights])
        child.close()
        running, ahead = child.pid, None


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
