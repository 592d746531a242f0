"""One process makes a kernel library; others that need the same one wait for it instead of making it again."""

from __future__ import annotations

import contextlib
import os
from typing import Any, final

from detent.jit import object_cache

try:
    import fcntl
except ImportError:  # on Windows two processes may do the same work; each of them gets its kernels
    fcntl: Any = None  # type: ignore[no-redef]


@final
class MakingLock:
    """Held by whoever makes the object of a key. The system lets it go when its process ends, however it ends."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._path: str | None = None
        self._file: int | None = None

    def take(self) -> bool:
        """Whether this process may go ahead; also where no lock can be had."""
        if fcntl is None:
            return True
        try:
            folder = object_cache.folder()
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path = str(folder / f".making-{self._key}")
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except (OSError, RuntimeError):  # RuntimeError: there is no home folder
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            return False
        except OSError:  # a file system without locks
            return True
        return True

    def release(self) -> None:
        """Let others go ahead. A file removed under somebody who waits for it costs one more look at the cache."""
        if self._file is not None and self._path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
