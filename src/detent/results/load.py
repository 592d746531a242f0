"""Reading a run from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from detent.errors import DetentError, ResultFileError
from detent.results.column import Column
from detent.results.columns import COLUMNS
from detent.results.contents import Contents, read_contents
from detent.results.field_kinds import Kind, Misfit, distinct, optional, record, text, whole
from detent.results.layout import StateLayout
from detent.results.run import Run
from detent.results.seal import check_seal
from detent.results.trajectory import Trajectory

MOST_DENSE_ROWS: Final = 64
"""No stepper's interpolant has more."""

_TRAJECTORY: Final[dict[str, Kind]] = {
    "layout": record(dict.fromkeys(("coordinates", "speeds", "signals"), distinct(text))),
    "dense_rows": optional(whole(0, MOST_DENSE_ROWS)),
}


def load(path: str | os.PathLike[str]) -> Run:
    """The run that :func:`save` wrote, bit for bit; its ``timing`` is None.

    The file is data only: nothing in it is ever executed, and nothing but numbers and texts is taken from it.

    >>> import tempfile
    >>> from detent.results import sample_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sample_run().save(f"{folder}/stone.nc")
    ...     load(f"{folder}/stone.nc")
    <Run 'thrown-stone': completed at t = 1.25, 4 nodes>
    """
    try:
        source = _readable(Path(path))
        size, file_format = check_seal(source)
        with source.open("rb") as file:
            return read_run(read_contents(file, size), file, file_format)
    except ResultFileError:
        raise
    except OSError as error:
        raise ResultFileError(f"cannot read '{path}': {error}; check the file and its permissions.") from error
    except (Misfit, DetentError, MemoryError) as error:
        why = str(error) or "it does not fit into memory"
        raise ResultFileError(
            f"'{path}' is whole but does not hold a run as detent writes it ({why}); simulate and save again."
        ) from error


def _readable(path: Path) -> Path:
    if not path.is_file():
        found = "it is not a file" if path.exists() else "there is no such file"
        raise ResultFileError(f"cannot read '{path}': {found}; give the name of a file that Run.save wrote.")
    return path.resolve()


def read_run(contents: Contents, file: IO[bytes], file_format: int, columns: Sequence[Column] = COLUMNS) -> Run:
    """The run in a file of some format, which has the columns that there were then."""
    there = [column for column in columns if column.is_in_files and column.since <= file_format]
    kinds = {column.saved.key: column.saved.kind for column in there if column.saved is not None}
    known = record(kinds | _TRAJECTORY)("description", contents.run)
    trajectory = _trajectory(contents, file, known)
    values = {column.name: column.read(known, lambda name: contents.array(file, name, 1)) for column in there}
    return Run(trajectory=trajectory, **values)


def _trajectory(contents: Contents, file: IO[bytes], known: Mapping[str, Any]) -> Trajectory:
    layout = StateLayout(**{kind: tuple(names) for kind, names in known["layout"].items()})
    time = contents.array(file, "time", 1)
    columns = [contents.array(file, name, 1) for name in layout.names]
    for name, column in zip(layout.names, columns, strict=True):
        if len(column) != len(time):
            raise Misfit(f"array '{name}'", f"of {len(column)} numbers", f"one of {len(time)}, as many as times,")
    rate, dense = contents.array(file, "detent.rate", 2), None
    if known["dense_rows"] is not None:
        # NetCDF takes a dimension of length zero for one that can grow, so nothing is not written.
        shape = (max(len(time) - 1, 0), known["dense_rows"], layout.width)
        dense = contents.array(file, "detent.dense", 3) if all(shape) else np.zeros(shape)
    return Trajectory(layout, time, np.stack(columns, axis=1), rate, dense)
