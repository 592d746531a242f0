"""Reading a run from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from detent.errors import DetentError, ResultFileError
from detent.results.audit import Audit
from detent.results.contents import Contents, read_contents
from detent.results.event import Event, EventLog
from detent.results.field_kinds import (
    Kind,
    Misfit,
    distinct,
    list_of,
    one_of,
    optional,
    real,
    record,
    table_of,
    text,
    whole,
)
from detent.results.layout import StateLayout
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.seal import check_seal
from detent.results.trajectory import Trajectory

MOST_DENSE_ROWS: Final = 64
"""No stepper's interpolant has more."""

_EVENT: Final[dict[str, Kind]] = {
    "time": real,
    "kind": text,
    "name": text,
    "source": text,
    "target": text,
    "details": table_of(lambda where, found: text(where, found) if isinstance(found, str) else real(where, found)),
}
_AUDIT: Final[dict[str, Kind]] = {
    "energy_balance": real,
    "position_residual": real,
    "velocity_residual": real,
    "smallest_gap": optional(real),
    "energy_scale": real,
}
_KNOWN: Final = record(
    {
        "title": text,
        "outcome": one_of([outcome.word for outcome in Outcome]),
        "message": text,
        "method": text,
        "mode": text,
        "until": real,
        "rtol": optional(real),
        "atol": optional(real),
        "step": optional(real),
        "parameters": table_of(real),
        "start": table_of(real),
        "events": list_of(record(_EVENT)),
        "audit": record(_AUDIT),
        "reactions": distinct(text),
        "discrete": distinct(text),
        "near_misses": list_of(record(_EVENT)),
        "remarks": list_of(text),
        "layout": record(dict.fromkeys(("coordinates", "speeds", "signals"), distinct(text))),
        "dense_rows": optional(whole(0, MOST_DENSE_ROWS)),
    }
)


def load(path: str | os.PathLike[str]) -> Run:
    """The run that :func:`save` wrote, bit for bit; its ``timing`` is None.

    The file is data only: nothing in it is ever executed, and nothing but numbers and texts is taken from it.

    >>> import tempfile
    >>> from detent.results import thrown_stone
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     thrown_stone().save(f"{folder}/stone.nc")
    ...     load(f"{folder}/stone.nc")
    <Run 'thrown-stone': completed at t = 1.25, 4 nodes>
    """
    try:
        source = _readable(Path(path))
        size = check_seal(source)
        with source.open("rb") as file:
            return _run(read_contents(file, size), file)
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


def _run(contents: Contents, file: IO[bytes]) -> Run:
    known = _KNOWN("description", contents.run)
    trajectory = _trajectory(contents, file, known)
    return Run(
        name=known["title"],
        **{name: known[name] for name in ("parameters", "start", "until", "method", "rtol", "atol", "step")},
        outcome=Outcome.from_word(known["outcome"]),
        message=known["message"],
        trajectory=trajectory,
        mode=known["mode"],
        events=EventLog(Event(**event) for event in known["events"]),
        kinetic=contents.array(file, "kinetic_energy", 1),
        potential=contents.array(file, "potential_energy", 1),
        reactions={name: contents.array(file, f"reaction of {name}", 1) for name in known["reactions"]},
        discrete={name: contents.array(file, name, 1) for name in known["discrete"]},
        audit=Audit(**known["audit"]),
        near_misses=EventLog(Event(**event) for event in known["near_misses"]),
        remarks=tuple(known["remarks"]),
    )


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
