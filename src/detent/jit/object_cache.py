"""Compiled objects on disk, found by content.

Several processes may write at once: each writes a file of its own and renames it into place, and
equal keys mean equal content. A file that is damaged, or that stands under another name than its own, does not match
its checksum and is ignored. When the folder cannot be written nothing is cached, and nothing fails.

What is kept here is run. A folder that is not this user's own, or that others may write to, is not used at all
(:mod:`detent.jit.file_trust`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
import warnings
import zlib
from pathlib import Path
from typing import Final, Literal, TypeAlias

from detent.jit.file_trust import distrusted, read_trusted, this_user

Kind: TypeAlias = Literal["object", "kernels"]
"""Which of them goes first when there are too many: kernels take a minute to compile, other objects milliseconds."""

MAGIC: Final = b"detent object 2\n"
KINDS: Final[tuple[Kind, ...]] = ("object", "kernels")
MOST_FILES: Final = 5000
KEPT_FILES: Final = 3750
"""Past the first bound the least recently used files go until the second one is met, kernels last."""
LOOK_EVERY: Final = 64
"""One write in so many looks whether there are too many files."""
TOUCH_AFTER: Final = 24 * 3600.0
"""A file that is read counts as used from then on; that is put down once in this time, s."""
MOST_BYTES: Final = 1 << 28

_refused: Final[set[str]] = set()


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
    """The object kept under a key, or None if there is none, it is damaged, or others may have written it."""
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        place = folder()
        if not _is_ours(place):
            return None
        for kind in KINDS:
            payload = _read(place / f"{key}.{kind}", key)
            if payload is not None:
                return payload
    return None


def _read(path: Path, key: str) -> bytes | None:
    try:
        found = read_trusted(path, MOST_BYTES)
    except OSError:
        return None
    if found is None:
        return None
    content, status = found
    head = len(MAGIC) + 32
    payload = content[head:]
    if content[:head] != MAGIC + _digest(key, payload):
        return None
    if time.time() - status.st_mtime > TOUCH_AFTER:
        with contextlib.suppress(OSError):
            os.utime(path)
    return payload


def write(key: str, payload: bytes, kind: Kind = "object") -> bool:
    """Keep an object; False if the folder cannot be written, or is not to be used."""
    temporary = None
    try:
        place = _made()
        if not _is_ours(place):
            return False
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".writing-")
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + _digest(key, payload) + payload)
        os.replace(temporary, place / f"{key}.{kind}")
        if zlib.crc32(key.encode()) % LOOK_EVERY == 0:
            _forget_least_used(place)
    except (OSError, RuntimeError):
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    return True


def is_writable() -> bool:
    """Whether objects can be kept."""
    try:
        place = _made()
        if not _is_ours(place):
            return False
        with tempfile.TemporaryFile(dir=place):
            return True
    except (OSError, RuntimeError):
        return False


def _digest(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(f"{key}\0".encode() + payload).digest()


def _made() -> Path:
    place = folder()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def _is_ours(place: Path) -> bool:
    """Whether nobody else can have put objects into a folder; where somebody can, that is said once."""
    why = distrusted(os.stat(place), this_user())
    if why is None:
        return True
    if str(place) not in _refused:
        _refused.add(str(place))
        warnings.warn(
            f"the folder of compiled objects, '{place}', is not used, for {why}, and what is in it would be run. Make "
            f"it yours alone (chmod go-w '{place}', or remove it), or set DETENT_CACHE_DIR to a folder of your own; "
            "until then everything is compiled anew at every start.",
            RuntimeWarning,
            stacklevel=2,
        )
    return False


def _forget_least_used(place: Path) -> None:
    """Keep the folder from growing for ever."""
    found = []
    for entry in os.scandir(place):
        kind = entry.name.rpartition(".")[2]
        with contextlib.suppress(OSError):
            used = entry.stat(follow_symlinks=False).st_mtime
            if kind in KINDS:
                found.append((KINDS.index(kind), used, entry.path))
            elif entry.name.startswith(".writing-") and time.time() - used > TOUCH_AFTER:
                os.unlink(entry.path)  # a process was killed while it wrote this
    if len(found) <= MOST_FILES:
        return
    for _, _, path in sorted(found)[: len(found) - KEPT_FILES]:
        with contextlib.suppress(OSError):
            os.unlink(path)
