"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from detent.errors import ResultFileError


def write_whole(path: str | os.PathLike[str], fill: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside its place and move it there when all of it is on the disk.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "note.txt"), lambda file: file.write(b"whole"))
    ...     Path(folder, "note.txt").read_text()
    'whole'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ResultFileError(f"cannot write to {path!r}; give the name of a file")
    target, temporary = Path(path), ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.resolve().parent, prefix=".detent-", suffix=target.suffix)
        with os.fdopen(handle, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        raise ResultFileError(f"cannot write '{path}': {error.strerror}; choose a place that is writable") from error
    finally:
        if temporary:
            os.unlink(temporary)
