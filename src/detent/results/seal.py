"""The last line of a result file, which proves that the file is whole.

A program can be stopped, a disk can fill up and a copy can be cut short, so a file is checked against the SHA-256
digest in its last line before anything in it is believed. HDF5 and NetCDF readers ignore what follows their own data.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from detent.errors import ResultFileError
from detent.results.column import OLDEST
from detent.results.columns import FORMAT

_SEAL = re.compile(rb"(\ndetent run format ([0-9]{4}) sha256 )([0-9a-f]{64})\n")
_SEAL_LENGTH = 96
_BLOCK = 1 << 20
_HDF5_START = b"\x89HDF\r\n\x1a\n"
_AGAIN = "open a file that Run.save wrote, or simulate and save again"


def seal(*parts: bytes | memoryview, file_format: int = FORMAT) -> bytes:
    """The line that ends a file of this content, given in one or more parts.

    >>> seal(b"data", file_format=2)[:31]
    b'\\ndetent run format 0002 sha256 '
    >>> seal(b"da", b"ta") == seal(b"data")
    True
    """
    head = f"\ndetent run format {file_format:04d} sha256 ".encode()
    digest = hashlib.sha256()
    # The format is part of the digest, so that damage to it is not taken for a newer file.
    for part in (*parts, head):
        digest.update(part)
    return head + digest.hexdigest().encode() + b"\n"


class Sealed(NamedTuple):
    """What a file is: how long without its seal, and of which format."""

    size: int
    file_format: int


def check_seal(path: Path) -> Sealed:
    """What a whole file is; a ResultFileError if it is not whole, or of a format that is not read here.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.nc")
    ...     _ = path.write_bytes(b"data" + seal(b"data"))
    ...     check_seal(path).size
    4
    """
    with path.open("rb") as file:
        start = file.read(len(_HDF5_START))
        size = file.seek(0, os.SEEK_END)
        body = max(size - _SEAL_LENGTH, 0)
        file.seek(body)
        match = _SEAL.fullmatch(file.read())
        if match is None:
            raise ResultFileError(_without_seal(path, start, size))
        file.seek(0)
        digest = hashlib.sha256()
        for block in iter(lambda: file.read(min(_BLOCK, body - file.tell())), b""):
            digest.update(block)
        digest.update(match[1])
    if digest.hexdigest().encode() != match[3]:
        raise ResultFileError(f"'{path}' is damaged: its content is not what was written; restore a copy or {_AGAIN}.")
    found = int(match[2])
    if found > FORMAT:
        raise ResultFileError(
            f"'{path}' has format {found} and this detent reads up to {FORMAT}; "
            'update it: pip install --upgrade "detent[files]"'
        )
    if found < OLDEST:
        raise ResultFileError(f"'{path}' has format {found}, which detent no longer reads; simulate and save again.")
    return Sealed(body, found)


def _without_seal(path: Path, start: bytes, size: int) -> str:
    if size == 0:
        return f"'{path}' is empty; {_AGAIN}."
    if start != _HDF5_START:
        return f"'{path}' is not a detent result, nor any HDF5 file; {_AGAIN}."
    return f"'{path}' does not end as a detent result does: it was cut short or another program wrote it; {_AGAIN}."
