"""A run as a table of text that any other program reads."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from typing import IO, Final

from detent.jit.arrays import FloatArray
from detent.results.whole_file import write_whole

ROWS: Final = 10_000
"""Rows that become text together."""


def heading(name: str, unit: str) -> str:
    """A name with its unit, where that is known.

    >>> heading("angle", "rad"), heading("count", "")
    ('angle [rad]', 'count')
    """
    return f"{name} [{unit}]" if unit else name


def write_csv(path: str | os.PathLike[str], headings: Iterable[str], columns: FloatArray) -> None:
    """Write a row of headings and a row for each of some numbers, whole or not at all.

    Every number comes back to the bit: it has as many digits as that takes. What is not known is ``nan``.

    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(f"{folder}/run.csv", ["time [s]", "x"], np.array([[0.0, 0.1], [0.5, np.nan]]))
    ...     Path(folder, "run.csv").read_text().splitlines()
    ['time [s],x', '0.0,0.1', '0.5,nan']
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(headings)

    def fill(file: IO[bytes]) -> None:
        file.write(line.getvalue().encode("utf-8"))
        for first in range(0, len(columns), ROWS):
            rows = columns[first : first + ROWS].tolist()
            file.write("".join(",".join(map(repr, row)) + "\n" for row in rows).encode("ascii"))

    write_whole(path, fill)
