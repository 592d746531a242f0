"""Compiled objects on disk, found by content.

Several processes may write at once: each writes a file of its own and renames it into place, and
equal keys mean equal content. A damaged file does not match its checksum and is ignored. When the
folder cannot be written nothing is cached, and nothing fails.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

MAGIC: Final = b"detent object 1\n"
MOST_FILES: Final = 5000


def folder() -> Path:
    """Where objects are kept: ``DETENT_CACHE_DIR``, or the user's cache folder of this platform."""
    chosen = os.environ.get("DETENT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "detent"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "detent" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "detent"


def key_of(*parts: str) -> str:
    """A file name for content described by some texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read(key: str) -> bytes | None:
    """The object kept under a key, or None if there is none or it is damaged."""
    try:
        content = (folder() / f"{key}.object").read_bytes()
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None
    digest, payload = content[len(MAGIC) : len(MAGIC) + 32], content[len(MAGIC) + 32 :]
    if not content.startswith(MAGIC) or hashlib.sha256(payload).digest() != digest:
        return None
    return payload


def write(key: str, payload: bytes) -> bool:
    """Keep an object; False if the folder cannot be written."""
    temporary = None
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".writing-")
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(payload).digest() + payload)
        os.replace(temporary, place / f"{key}.object")
        _forget_oldest(place)
    except (OSError, RuntimeError):
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    return True


def is_writable() -> bool:
    """Whether objects can be kept."""
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=place):
            return True
    except (OSError, RuntimeError):
        return False


def _forget_oldest(place: Path) -> None:
    """Keep the folder from growing for ever: past a bound, the older half goes."""
    entries = [entry for entry in os.scandir(place) if entry.name.endswith(".object")]
    if len(entries) <= MOST_FILES:
        return
    ages = []
    for entry in entries:
        with contextlib.suppress(OSError):
            ages.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(ages)[: len(ages) // 2]:
        with contextlib.suppress(OSError):
            os.unlink(path)
