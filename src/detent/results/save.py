"""Writing a run to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from detent.errors import ResultFileError
from detent.results.contents import contents_of
from detent.results.dataset import dataset, known
from detent.results.extras import require
from detent.results.seal import seal

if TYPE_CHECKING:
    import xarray

    from detent.results.run import Run


def save(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run to a NetCDF4 (HDF5) file from which :func:`load` gives back the same bits.

    Whatever happens while it is written, there is either the old file or the new one under this name: the new
    one is completed beside it and then takes its place (a killed process may leave a ``.detent-xxxxxxxx.tmp``
    behind). Timing is not kept, so the same run gives the same bytes. Needs the extra ``files``.

    >>> import tempfile
    >>> from detent.results import load, sample_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(sample_run(), f"{folder}/stone.nc")
    ...     load(f"{folder}/stone.nc").at(0.5).y
    1.25
    """
    for package in ("xarray", "h5netcdf", "h5py"):
        require(package, "save a run")
    try:
        target = _writable(Path(path))
        _replace(target, *_content(run))
    except (OSError, RuntimeError, ValueError) as error:
        raise ResultFileError(
            f"cannot write '{path}': {error}; a file of that name is as it was, or complete. "
            "Choose a place that is writable and has room."
        ) from error


def with_interpolant(run: Run) -> xarray.Dataset:
    """The run's Dataset together with the rates and the dense rows that its interpolant needs.

    >>> from detent.results import sample_run
    >>> with_interpolant(sample_run())["detent.rate"].shape
    (4, 3)
    """
    nodes, trajectory = dataset(run), run.trajectory
    nodes["detent.rate"] = (("time", "detent.column"), trajectory.rate)
    # NetCDF takes a dimension of length zero for one that can grow, so nothing is not written.
    if trajectory.dense is not None and trajectory.dense.size:
        nodes["detent.dense"] = (("detent.interval", "detent.row", "detent.column"), trajectory.dense)
    return nodes


def _writable(path: Path) -> Path:
    target = path.resolve()
    if not target.parent.is_dir():
        raise ResultFileError(f"cannot write '{path}': there is no directory '{target.parent}'; create it first.")
    if target.is_dir():
        raise ResultFileError(f"cannot write '{path}': it is a directory; give a file name such as run.nc.")
    return target


def _replace(target: Path, *parts: bytes | memoryview) -> None:
    unfinished = target.with_name(f".detent-{os.urandom(4).hex()}.tmp")
    try:
        with unfinished.open("xb") as file:
            for part in (*parts, seal(*parts)):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    _settle(target.parent)


def _content(run: Run) -> tuple[memoryview, bytes]:
    """What other programs read, and the contents by which it is loaded."""
    nodes = with_interpolant(run)
    # Without this NaN is declared to mean "missing", and readers may replace one NaN by another.
    exact = {name: {"_FillValue": None} for name in nodes.variables}
    # Made in memory: the HDF5 library can crash the process when the disk fills up under it.
    data = memoryview(nodes.to_netcdf(None, engine="h5netcdf", format="NETCDF4", encoding=exact))
    return data, contents_of(known(run), nodes, data)


def _settle(directory: Path) -> None:
    """Wait until the new name is on the disk, where the operating system lets one ask for that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
