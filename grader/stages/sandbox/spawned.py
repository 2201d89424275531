"""A fresh process for each run, held by limits alone: level `none`, and systems other than Linux. Honest learners only."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.model import Limits
from grader.stages.sandbox.request import FLOOD, Request
from grader.stages.sandbox.start import Conclude, T, command, environment, limits_for
from grader.stages.sandbox.watch import Child, cpu_clock, watch


class Spawned:
    """Processes of one run each; the next one is started ahead, so that it imports torch while the judge still works."""

    def __init__(self, paths: Sequence[str], preload: Sequence[str], on_gpu: bool = False):
        self.config = json.dumps({"paths": list(paths), "preload": list(preload)})
        self.on_gpu = on_gpu
        self.waiting: _Process | None = _Process(self.config, on_gpu)
        self.running: _Process | None = None
        self.hold = threading.Lock()  # on the process: what `cancel` kills is not let go meanwhile

    def wait(self) -> None:
        """Nothing to wait for: the process reads its work when it is ready."""

    def run(self, request: Request, limits: Limits, result_bytes: int, conclude: Conclude[T]) -> T:
        """Run one request to its end and return what `conclude` makes of it."""
        process, self.waiting = self.waiting or _Process(self.config, self.on_gpu), None
        self.running = process
        with process:
            try:
                return process.run(request, limits_for(limits, FLOOD, self.on_gpu), limits, result_bytes, conclude)
            finally:
                with self.hold:
                    self.running = None

    def cancel(self) -> None:
        """Kill the run that is under way, if there is one."""
        with self.hold:
            if self.running is not None:
                self.running.kill()

    def close(self) -> None:
        if self.waiting is not None:
            self.waiting.__exit__()
            self.waiting = None


class _Process:
    """One process in a folder of its own, which goes with it."""

    def __init__(self, config: str, on_gpu: bool):
        self.folder = Path(tempfile.mkdtemp(prefix="grader-"))
        work = self.folder / "work"
        work.mkdir()
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            [*command("once.py"), config],
            env=environment(on_gpu) | {"TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)},
            cwd=work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )

    def __enter__(self) -> _Process:
        return self

    def run(
        self, request: Request, kernel: Mapping[str, int], limits: Limits, result_bytes: int, conclude: Conclude[T]
    ) -> T:
        process = self.process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        source, results = self.folder / "request", self.folder / "results"
        source.write_bytes(request.first)
        with results.open("w+b") as area:
            area.truncate(result_bytes)
            told = {"request": str(source), "results": str(results), "limits": dict(kernel)}
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(told).encode() + b"\n")
            child = Child(
                process.stdout.fileno(),
                process.stderr.fileno(),
                process.stdin.fileno(),
                -1,
                lambda: process.poll() is not None,
                self.kill,
                cpu_clock(process.pid),
            )
            try:
                heard = watch(child, request, limits)
            finally:
                self.kill()
            status = process.wait()

            def read(offset: int, length: int) -> bytes:
                area.seek(offset)
                return area.read(length)

            return conclude(heard, -status if status < 0 else status << 8, read)

    def kill(self) -> None:
        """End the process and all that stayed in its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def __exit__(self, *error: object) -> None:
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)
