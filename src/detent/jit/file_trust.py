"""Whether what a file holds may be run: only where nobody but this user, or the administrator, can have written it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
# A link could lead to what somebody else wrote, and a pipe would let one wait for ever.
_SAFELY: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def distrusted(found: os.stat_result, user: int | None) -> str | None:
    """Why a file or folder of this owner and mode cannot be trusted, in words; None where it can.

    ``user`` is who runs this process, None where the system has no such numbers (Windows keeps a user's cache folder
    from others by itself). The folders above need no look: who can move this one away cannot give what he puts in
    its place to this user.

    >>> mine = os.stat_result((0o40700, 0, 0, 0, 1000, 1000, 0, 0, 0, 0))
    >>> distrusted(mine, 1000) is None
    True
    >>> distrusted(mine, 1001)
    'it belongs to user 1000 and not to user 1001, who runs this'
    """
    if user is None:
        return None
    if found.st_uid not in (user, 0):
        return f"it belongs to user {found.st_uid} and not to user {user}, who runs this"
    if found.st_mode & _OTHERS_WRITE:
        return f"others may write to it (its mode is {stat.S_IMODE(found.st_mode):o})"
    return None


def this_user() -> int | None:
    """The number of the user who runs this process; None where the system has none."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def read_trusted(path: Path, most: int) -> tuple[bytes, os.stat_result] | None:
    """What a plain file of at most so many bytes holds, if it can be trusted; OSError where it cannot be read."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _SAFELY)) as file:
        found = os.fstat(file.fileno())  # of what is open now, whatever becomes of the name
        if not stat.S_ISREG(found.st_mode) or found.st_size > most or distrusted(found, this_user()) is not None:
            return None
        return file.read(most), found
