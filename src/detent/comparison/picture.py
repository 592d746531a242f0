"""The errors of several formulations over time, in one picture."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.view.files import check_ending, new_figure, write_picture

if TYPE_CHECKING:
    from detent.comparison.comparison import Comparison, ComparisonRow

FLOOR: Final = 1e-17
"""What is smaller is zero to a reader."""
LOWEST: Final = 0.02
"""So many of a curve's values may lie below the panel, such as its first, which are zero: drawn at its edge."""
DASHES: Final = ("-", (0, (5, 1.5)), (0, (2, 1)), (0, (6, 1.5, 1, 1.5)))
"""By turns, so that curves that lie on one another are all seen."""


def draw_comparison(compared: Comparison, path: str | os.PathLike[str] | None = None) -> Any:
    """A panel for each error, logarithmic, with a curve for each formulation."""
    if path is not None:
        check_ending(path)
    rows = [row for row in compared.rows if row.errors is not None]
    panels = _panels(rows)
    figure = new_figure("draw a comparison", figsize=(9, 2.1 * len(panels) + 1.0), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, curves) in zip(axes, panels.items(), strict=True):
        _panel(axis, label, curves, dots=label.startswith("event"))
    axes[-1].set_xlabel("time in s")
    if rows:
        axes[-1].set_xlim(0.0, compared.until or 1.0)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    else:
        axes[0].text(0.5, 0.5, "none of the formulations ran", transform=axes[0].transAxes, ha="center")
    figure.suptitle(f"{compared.name} against {compared.reference_formulation} at tight tolerance")
    if path is not None:
        write_picture(figure, path)
    return figure


Curve = tuple[str, FloatArray, FloatArray]


def _panels(rows: list[ComparisonRow]) -> dict[str, list[Curve]]:
    """What is drawn in each panel: by name, over time."""
    made: dict[str, list[Curve]] = {"position error": [], "velocity error": [], "energy error in J": []}
    for row in rows:
        errors = row.errors
        assert errors is not None
        made["position error"].append((row.formulation, errors.time, errors.position))
        made["velocity error"].append((row.formulation, errors.time, errors.velocity))
        made["energy error in J"].append((row.formulation, errors.node, errors.energy))
        if errors.overlap is not None:
            made.setdefault("overlap in m", []).append((row.formulation, errors.node, errors.overlap))
        if len(errors.event_error):
            curve = row.formulation, errors.event_time, errors.event_error
            made.setdefault("event time error in s", []).append(curve)
    return made


def _edge(curves: list[Curve]) -> float:
    """Where a panel begins: a logarithm has no zero."""
    seen = [error[error > FLOOR] for _, _, error in curves]
    return min((float(np.quantile(each, LOWEST)) for each in seen if len(each)), default=FLOOR) / 2.0


def _panel(axis: Any, label: str, curves: list[Curve], dots: bool) -> None:
    edge = _edge(curves)
    for number, (name, time, error) in enumerate(curves):
        shown = np.maximum(error, edge)
        if dots:
            axis.plot(time, shown, "o", markersize=5 - number % 3, label=name, color=f"C{number}", fillstyle="none")
        else:
            dashes = DASHES[number % len(DASHES)]
            axis.plot(time, shown, linestyle=dashes, linewidth=1.3, label=name, color=f"C{number}")
    axis.set_yscale("log")
    axis.set_ylabel(label)
    axis.grid(True, alpha=0.3)
