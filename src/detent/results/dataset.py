"""A run as labelled arrays of xarray or pandas."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from detent.results.columns import COLUMNS, at_nodes
from detent.results.extras import require

if TYPE_CHECKING:
    import pandas
    import xarray

    from detent.results.run import Run


def dataset(run: Run) -> xarray.Dataset:
    """The quantities at the nodes as a Dataset over ``time``, with what is known about the run as attributes.

    Attributes with several values are JSON text, which NetCDF can hold. Where the run jumps a time is repeated.

    >>> from detent.results import sample_run
    >>> nodes = dataset(sample_run())
    >>> nodes.energy.attrs
    {'kind': 'energy', 'units': 'J'}
    >>> nodes.attrs["parameters"]
    '{"m": 1.0, "g": 10.0}'
    """
    xr = require("xarray", "give a run as a Dataset")
    about = _attributes(run)
    variables = {name: ("time", run[name], about[name]) for name in run.names[1:]}
    time = ("time", run.t, {"kind": "time", "units": "s"})
    nodes: xarray.Dataset = xr.Dataset(variables, coords={"time": time}, attrs=attributes(run))
    return nodes


def data_frame(run: Run) -> pandas.DataFrame:
    """The quantities at the nodes as a DataFrame indexed by ``time``.

    >>> from detent.results import sample_run
    >>> data_frame(sample_run()).index.name
    'time'
    """
    pd = require("pandas", "give a run as a DataFrame")
    index = pd.Index(run.t, name="time")
    frame: pandas.DataFrame = pd.DataFrame({name: run[name] for name in run.names[1:]}, index=index)
    return frame


def attributes(run: Run) -> dict[str, str | float]:
    """What is known about a run besides its arrays, as texts and numbers.

    >>> from detent.results import sample_run
    >>> attributes(sample_run())["outcome"]
    'completed'
    """
    found = known(run)
    plain = {name: value for name, value in found.items() if isinstance(value, (str, float, int))}
    return plain | {
        name: json.dumps(value, ensure_ascii=False) for name, value in found.items() if isinstance(value, (dict, list))
    }


def known(run: Run) -> dict[str, Any]:
    """What is known about a run besides its arrays.

    >>> from detent.results import sample_run
    >>> known(sample_run())["layout"]
    {'coordinates': ['y'], 'speeds': ['v'], 'signals': []}
    """
    layout, dense = run.layout, run.trajectory.dense
    columns = ((column.saved, getattr(run, column.name)) for column in COLUMNS if column.saved is not None)
    return {saved.key: saved.write(value) for saved, value in columns} | {
        "dense_rows": None if dense is None else int(dense.shape[1]),
        "layout": {group: list(getattr(layout, group)) for group in ("coordinates", "speeds", "signals")},
    }


def _attributes(run: Run) -> dict[str, dict[str, str]]:
    """What each quantity says about itself, by name."""
    about = {name: {"kind": run.layout.kind(name)} for name in run.layout.names}
    about["work"]["units"] = "J"
    about = {name: column.attributes for column, _ in at_nodes() for name in column.names(run)} | about
    return {name: own | ({"units": run.units[name]} if name in run.units else {}) for name, own in about.items()}
