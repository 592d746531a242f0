"""Kernel libraries made side by side, in processes of their own.

A thread could not do it, as Numba and llvmlite each let one thread in at a time. The processes are started afresh,
never forked, and import nothing of the program that waits for them, so it makes no difference whether that is a script,
a notebook or a test. Where no process can be started the libraries are made here, one after another.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, final

from detent.jit import object_cache
from detent.jit.kernel_job import Job, object_of, translated_here
from detent.jit.kernel_notice import LOGGER, Notice
from detent.jit.kernel_worker import ENVIRONMENT, START
from detent.jit.making_lock import MakingLock

Product = Literal["object", "translation"]

PATIENCE: Final = 180.0
"""Seconds to wait for another process that makes the same library, before making it here too."""
_PAUSE: Final = 0.02
"""Seconds between two looks at what the workers have done."""


@final
class _Worker:
    """A process that makes one library after the other."""

    def __init__(self, folder: str, number: int) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        self._folder, self._errors = folder, Path(folder, f"errors of {number}")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", START], env=kept | ENVIRONMENT, stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=errors, text=True,
            )  # fmt: skip
        self._tell([entry for entry in sys.path if isinstance(entry, str)])
        self.job: Job | None = None

    def _tell(self, what: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which the next look will find
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()

    def give(self, job: Job, product: Product) -> None:
        self.job = job
        self._tell({"job": job.as_json(), "product": product, "output": self._output(job)})

    def _output(self, job: Job) -> str:
        return os.path.join(self._folder, job.key)

    def result(self) -> bytes | None:
        """What was made, if it is ready."""
        try:
            return None if self.job is None else Path(self._output(self.job)).read_bytes()
        except FileNotFoundError:
            return None

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def last_words(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._errors.read_text(errors="replace").strip()[-500:]

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # what it was told last and did not read
            self._process.stdin.close()


def make_libraries(jobs: Sequence[Job], product: Product = "object") -> dict[str, bytes]:
    """What was made of each job, by its key. Objects that another process makes meanwhile are taken from the cache."""
    crew = _Crew(jobs, product)
    try:
        crew.work()
    finally:
        crew.dismiss()
    return crew.made


@final
class _Crew:
    def __init__(self, jobs: Sequence[Job], product: Product) -> None:
        self._waiting = sorted(jobs, key=lambda job: -job.weight)  # the longest first, so that none is left to the end
        self._product = product
        self._workers: list[_Worker] = []
        self._locks: dict[str, MakingLock] = {}
        self._names: list[str] = []
        self._began = time.perf_counter()
        self._most = min(len(jobs), _processors()) if _can_start_python() else 0
        self._notice = Notice([job.name for job in self._waiting])
        self.made: dict[str, bytes] = {}

    def work(self) -> None:
        with contextlib.ExitStack() as afterwards:
            folder = afterwards.enter_context(self._folder())
            afterwards.callback(self._stop_workers)
            while self._waiting or any(worker.job for worker in self._workers):
                self._hand_out(folder)
                self._take_in()
                self._notice.show(self._names)
                time.sleep(_PAUSE)
        self._notice.end()

    def dismiss(self) -> None:
        self._notice.close()
        for lock in self._locks.values():
            lock.release()

    def _folder(self) -> contextlib.AbstractContextManager[str]:
        """Where workers put what they have made; without such a place there are none."""
        try:
            return tempfile.TemporaryDirectory(prefix="detent-")
        except OSError:
            self._most = 0
            return contextlib.nullcontext("")

    def _stop_workers(self) -> None:
        for worker in self._workers:
            worker.stop()

    def _hand_out(self, folder: str) -> None:
        """Give work to whoever has none; what another process is making is left to it for a while."""
        for job in list(self._waiting):
            worker = self._idle(folder)
            if worker is None and self._most > 0:
                return
            if self._is_left_to_us(job):
                self._waiting.remove(job)
                if worker is None:
                    self._put(job, self._made_here(job))
                else:
                    worker.give(job, self._product)

    def _is_left_to_us(self, job: Job) -> bool:
        if self._product == "translation":
            return True
        lock = MakingLock(job.key)
        if not lock.take() and time.perf_counter() - self._began < PATIENCE:
            return False
        self._locks[job.key] = lock
        found = object_cache.read(job.key)
        if found is not None:
            self._waiting.remove(job)
            self._put(job, found)
        return found is None

    def _idle(self, folder: str) -> _Worker | None:
        """A worker without work, started if there may be one more; None if all are busy or none can be had."""
        for worker in self._workers:
            if worker.job is None:
                return worker
        if len(self._workers) < self._most:
            try:
                self._workers.append(_Worker(folder, len(self._workers)))
            except OSError as error:
                LOGGER.debug("kernels are compiled in this process, as no other can be started: %s", error)
                self._most = len(self._workers)
            else:
                return self._workers[-1]
        return None

    def _take_in(self) -> None:
        """Take what workers have made; what one failed to make is made here, where a fault of the kernel shows."""
        for worker in list(self._workers):
            ended = worker.has_ended  # asked first: it may finish and end between two questions
            made = worker.result()
            if worker.job is not None and (made is not None or ended):
                if made is None:
                    LOGGER.debug("the process that compiles %s ended: %s", worker.job.name, worker.last_words())
                    made = self._made_here(worker.job, carried=False)
                self._put(worker.job, made)
                worker.job = None
            if ended:
                self._workers.remove(worker)
                worker.stop()
                self._most = min(self._most, len(self._workers))

    def _made_here(self, job: Job, carried: bool = True) -> bytes:
        if self._product == "translation":
            return translated_here(job)
        return object_of(job, translated_here, carried)

    def _put(self, job: Job, made: bytes) -> None:
        self.made[job.key] = made
        self._names.append(job.name)
        if self._product == "object":
            object_cache.write(job.key, made, kind="kernels")
        if job.key in self._locks:
            self._locks.pop(job.key).release()


def _can_start_python() -> bool:
    """Whether this process is a Python that can be started again, not a program with Python in it."""
    return bool(sys.executable) and os.path.basename(sys.executable).lower().startswith(("python", "pypy"))


def _processors() -> int:
    """How many processes may work at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
