"""A phase portrait: what a run did, against something else than the time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from detent.errors import DetentError, ValueProblem
from detent.jit.arrays import FloatArray
from detent.results.csv_file import heading
from detent.results.run import Run
from detent.simulation.named_values import Asked, asked_of
from detent.view.curves import curves
from detent.view.files import new_figure


def portrait(
    run: Run, names: str | Sequence[Any] | Mapping[str, Any] | None, against: Any, between: tuple[float, float] | None
) -> Any:
    """Curves of some things against another, from the dot on; where the state jumps, a dotted line.

    >>> from detent.results import sample_run
    >>> figure = portrait(sample_run(), ["v"], "y", None)
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('y', 'v')
    """
    if names is None:
        raise DetentError("there is nothing to draw against it; name at least one quantity, such as names=['x_rate']")
    across = asked_of(run, against if isinstance(against, Mapping) else [against])
    if len(across) != 1:
        raise ValueProblem(f"found {len(across)} things to draw against; give one, such as against='x'")
    up = [one for one in asked_of(run, names) if one.label != across[0].label]
    if not up:
        raise DetentError(f"'{across[0].label}' is drawn against itself; name another quantity")
    drawn = curves(run, None, between, (), [across[0], *up])
    groups = _by_unit(up)
    figure = new_figure("draw a run", figsize=(7, 5.2 * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    for axis, group in zip(axes, groups, strict=True):
        for one in group:
            _curve(axis, drawn.values[across[0].label], drawn.values[one.label], one.label)
        axis.set_xlabel(heading(across[0].label, across[0].unit))
        axis.set_ylabel(heading(group[0].label if len(group) == 1 else "values", group[0].unit))
        axis.grid(True, alpha=0.3)
        if len(group) > 1:
            axis.legend(frameon=False, fontsize="small")
    figure.suptitle(f"{run.name}: {run.outcome.word}, energy balance {run.audit.energy_balance:.1e}")
    return figure


def _by_unit(asked: list[Asked]) -> list[list[Asked]]:
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.unit, []).append(one)
    return list(groups.values())


def _curve(axis: Any, x: FloatArray, y: FloatArray, label: str) -> None:
    (line,) = axis.plot(x, y, label=label, linewidth=1.3, zorder=2)
    colour, known = line.get_color(), np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(known):
        axis.plot(x[known[0]], y[known[0]], "o", color=colour, markersize=5, zorder=3)
    for gap in np.flatnonzero(np.isnan(y[1:-1])) + 1:
        if gap - 1 in known and gap + 1 in known:
            ends = [gap - 1, gap + 1]
            axis.plot(x[ends], y[ends], ":", color=colour, linewidth=0.9, zorder=2)
