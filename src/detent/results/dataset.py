"""A run as labelled arrays of xarray or pandas."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from detent.results.extras import require

if TYPE_CHECKING:
    import pandas
    import xarray

    from detent.results.run import Run


def dataset(run: Run) -> xarray.Dataset:
    """The quantities at the nodes as a Dataset over ``time``, with what is known about the run as attributes.

    Attributes with several values are JSON text, which NetCDF can hold. Where the run jumps a time is repeated.

    >>> from detent.results import thrown_stone
    >>> nodes = dataset(thrown_stone())
    >>> nodes.energy.attrs
    {'kind': 'energy', 'units': 'J'}
    >>> nodes.attrs["parameters"]
    '{"m": 1.0, "g": 10.0}'
    """
    xr = require("xarray", "give a run as a Dataset")
    variables = {name: ("time", run[name], _attributes_of(run, name)) for name in run.names[1:]}
    time = ("time", run.t, {"kind": "time", "units": "s"})
    nodes: xarray.Dataset = xr.Dataset(variables, coords={"time": time}, attrs=attributes(run))
    return nodes


def data_frame(run: Run) -> pandas.DataFrame:
    """The quantities at the nodes as a DataFrame indexed by ``time``.

    >>> from detent.results import thrown_stone
    >>> data_frame(thrown_stone()).index.name
    'time'
    """
    pd = require("pandas", "give a run as a DataFrame")
    index = pd.Index(run.t, name="time")
    frame: pandas.DataFrame = pd.DataFrame({name: run[name] for name in run.names[1:]}, index=index)
    return frame


def attributes(run: Run) -> dict[str, str | float]:
    """What is known about a run besides its arrays, as texts and numbers.

    >>> from detent.results import thrown_stone
    >>> attributes(thrown_stone())["outcome"]
    'completed'
    """
    found = known(run)
    plain = {name: value for name, value in found.items() if isinstance(value, (str, float, int))}
    return plain | {
        name: json.dumps(value, ensure_ascii=False) for name, value in found.items() if isinstance(value, (dict, list))
    }


def known(run: Run) -> dict[str, Any]:
    """What is known about a run besides its arrays.

    >>> from detent.results import thrown_stone
    >>> known(thrown_stone())["layout"]
    {'coordinates': ['y'], 'speeds': ['v'], 'signals': []}
    """
    layout = run.layout
    settings = {"until": run.until, "rtol": run.rtol, "atol": run.atol, "step": run.step}
    return {
        "title": run.name,
        "outcome": run.outcome.word,
        "message": run.message,
        "method": run.method,
        "mode": run.mode,
        **{name: None if value is None else float(value) for name, value in settings.items()},
        "parameters": run.parameters,
        "start": run.start,
        "events": [asdict(event) for event in run.events],
        "audit": asdict(run.audit),
        "reactions": list(run.reactions),
        "discrete": list(run.discrete),
        "near_misses": [asdict(event) for event in run.near_misses],
        "remarks": list(run.remarks),
        "dense_rows": None if run.trajectory.dense is None else int(run.trajectory.dense.shape[1]),
        "layout": {group: list(getattr(layout, group)) for group in ("coordinates", "speeds", "signals")},
    }


def _attributes_of(run: Run, name: str) -> dict[str, str]:
    if name in run.layout.names[:-1]:
        return {"kind": run.layout.kind(name)}
    if name in run.discrete:
        return {"kind": "discrete state"}
    if name.startswith("reaction of "):
        return {"kind": "reaction"}
    return {"kind": "energy", "units": "J"}
