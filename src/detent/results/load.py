"""Reading a run from a file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from detent.errors import DetentError, ResultFileError
from detent.results.arrays import FloatArray
from detent.results.audit import Audit
from detent.results.event import Event, EventLog
from detent.results.extras import require
from detent.results.layout import StateLayout
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.seal import check_seal
from detent.results.trajectory import Trajectory

if TYPE_CHECKING:
    import xarray


def load(path: str | os.PathLike[str]) -> Run:
    """The run that :func:`save` wrote, bit for bit; its ``timing`` is None. Needs the extra ``files``.

    The file is data only: nothing in it is ever executed.

    >>> import tempfile
    >>> from detent.results import thrown_stone
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     thrown_stone().save(f"{folder}/stone.nc")
    ...     load(f"{folder}/stone.nc")
    <Run 'thrown-stone': completed at t = 1.25, 4 nodes>
    """
    for package in ("xarray", "h5netcdf", "h5py"):
        require(package, "load a run")
    try:
        source = _readable(Path(path))
        check_seal(source)
        return _run(_dataset(source))
    except ResultFileError:
        raise
    except OSError as error:
        raise ResultFileError(f"cannot read '{path}': {error}; check the file and its permissions.") from error
    except (DetentError, KeyError, ValueError, TypeError, AttributeError, RuntimeError, MemoryError) as error:
        raise ResultFileError(
            f"'{path}' is whole but does not hold a run as detent writes it ({type(error).__name__}: {error}); "
            "simulate and save again."
        ) from error


def _readable(path: Path) -> Path:
    if not path.is_file():
        found = "it is not a file" if path.exists() else "there is no such file"
        raise ResultFileError(f"cannot read '{path}': {found}; give the name of a file that Run.save wrote.")
    return path.resolve()


def _dataset(path: Path) -> xarray.Dataset:
    xr = require("xarray", "load a run")
    # Nothing is decoded: every decoding of NetCDF conventions could change a bit.
    nodes: xarray.Dataset = xr.load_dataset(path, engine="h5netcdf", decode_cf=False)
    return nodes


def _run(nodes: xarray.Dataset) -> Run:
    known = nodes.attrs
    return Run(
        name=str(known["title"]),
        parameters=_structured(known, "parameters"),
        start=_structured(known, "start"),
        until=float(known["until"]),
        method=str(known["method"]),
        rtol=_optional(known, "rtol"),
        atol=_optional(known, "atol"),
        step=_optional(known, "step"),
        outcome=Outcome.from_word(str(known["outcome"])),
        message=str(known["message"]),
        trajectory=_trajectory(nodes),
        mode=str(known["mode"]),
        events=EventLog(Event(**event) for event in _structured(known, "events")),
        kinetic=_array(nodes, "kinetic_energy"),
        potential=_array(nodes, "potential_energy"),
        reactions={name: _array(nodes, f"reaction of {name}") for name in _structured(known, "reactions")},
        discrete={name: _array(nodes, name) for name in json.loads(known.get("discrete", "[]"))},
        audit=Audit(**_structured(known, "audit")),
        remarks=tuple(json.loads(known.get("remarks", "[]"))),
    )


def _structured(known: dict[str, Any], name: str) -> Any:
    return json.loads(known[name])


def _array(nodes: xarray.Dataset, name: str) -> FloatArray:
    # Not nodes[name], which makes up 0, 1, 2, ... for a dimension that has no values.
    values: FloatArray = nodes.variables[name].to_numpy()
    return values


def _optional(known: dict[str, Any], name: str) -> float | None:
    return float(known[name]) if name in known else None


def _trajectory(nodes: xarray.Dataset) -> Trajectory:
    names = {kind: tuple(group) for kind, group in _structured(nodes.attrs, "layout").items()}
    layout = StateLayout(**names)
    state = np.stack([_array(nodes, name) for name in layout.names], axis=1)
    return Trajectory(layout, _array(nodes, "time"), state, _array(nodes, "detent.rate"), _dense(nodes, state))


def _dense(nodes: xarray.Dataset, state: FloatArray) -> FloatArray | None:
    if "dense_rows" not in nodes.attrs:
        return None
    if "detent.dense" in nodes:
        return _array(nodes, "detent.dense")
    count, width = state.shape
    return np.zeros((count - 1, int(nodes.attrs["dense_rows"]), width))
