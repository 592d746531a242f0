"""What comparing formulations gives: a row for each, as a table, as JSON and as a picture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from detent.comparison.run_errors import RunErrors
from detent.jit.arrays import FloatArray
from detent.results.json_values import json_object
from detent.results.run import Run

COLUMNS: Final = {
    "position_error": ("position error", ".1e"),
    "velocity_error": ("velocity error", ".1e"),
    "energy_error_j": ("energy error J", ".1e"),
    "position_residual": ("Phi", ".1e"),
    "velocity_residual": ("B u + C", ".1e"),
    "smallest_gap": ("smallest gap m", ".1e"),
    "event_time_error_s": ("event time s", ".1e"),
    "events": ("events", ""),
    "rhs_evaluations": ("right-hand sides", ","),
    "steps": ("steps", ","),
    "steps_per_second": ("steps/s", ",.0f"),
    "real_time_factor": ("times real time", ",.1f"),
}
"""The numbers of a row, each with its heading and how it is written."""


@final
@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """One formulation of a comparison: its run and errors, or why it has none.

    ``reason`` says why it cannot express the model, or why its run ended early; in the latter case the errors go as
    far as the run did. What there is no number for is None.
    """

    formulation: str
    settings: dict[str, float | str]
    reason: str | None = None
    run: Run | None = None
    errors: RunErrors | None = None
    wall_s: float | None = None
    """The time of the quicker of two runs, s; a long one is not repeated."""

    @property
    def position_error(self) -> float | None:
        return None if self.errors is None else _largest(self.errors.position)

    @property
    def velocity_error(self) -> float | None:
        return None if self.errors is None else _largest(self.errors.velocity)

    @property
    def energy_error_j(self) -> float | None:
        return None if self.errors is None else _largest(self.errors.energy)

    @property
    def position_residual(self) -> float | None:
        return None if self.run is None else self.run.audit.position_residual

    @property
    def velocity_residual(self) -> float | None:
        return None if self.run is None else self.run.audit.velocity_residual

    @property
    def smallest_gap(self) -> float | None:
        return None if self.run is None else self.run.audit.smallest_gap

    @property
    def event_time_error_s(self) -> float | None:
        if self.errors is None or len(self.errors.event_error) == 0:
            return None
        return _largest(self.errors.event_error)

    @property
    def events(self) -> str | None:
        """How many events of the reference it has, of how many; and how many more."""
        if self.errors is None:
            return None
        same = len(self.errors.event_error)
        more = self.errors.events_found - same
        return f"{same}/{self.errors.events_expected}" + (f" + {more}" if more else "")

    @property
    def rhs_evaluations(self) -> int | None:
        return None if self.run is None or self.run.timing is None else self.run.timing.rhs_evaluations

    @property
    def steps(self) -> int | None:
        return None if self.run is None or self.run.timing is None else self.run.timing.steps

    @property
    def steps_per_second(self) -> float | None:
        return None if self.steps is None or not self.wall_s else self.steps / self.wall_s

    @property
    def real_time_factor(self) -> float | None:
        """Simulated seconds in a second."""
        return None if self.run is None or not self.wall_s else float(self.run.t[-1]) / self.wall_s

    def as_json(self) -> dict[str, Any]:
        """The row as ``detent compare --json`` prints it."""
        outcome = None if self.run is None else self.run.outcome.word
        named = {"formulation": self.formulation, "settings": self.settings, "outcome": outcome, "reason": self.reason}
        return json_object(named | {name: getattr(self, name) for name in COLUMNS})


@final
@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """One model in several formulations, each against a reference run: what :func:`detent.compare` returns.

    >>> import detent
    >>> compared = detent.compare(detent.example("slider-crank"), ["embedded", "multipliers"], until=1)
    >>> [row.formulation for row in compared.rows]
    ['embedded', 'multipliers']
    >>> compared["embedded"].position_residual < compared["multipliers"].position_residual
    True
    """

    name: str
    until: float
    reference: Run
    reference_formulation: str
    rows: tuple[ComparisonRow, ...]

    def __getitem__(self, formulation: str) -> ComparisonRow:
        for row in self.rows:
            if row.formulation == formulation:
                return row
        raise KeyError(f"{formulation!r} was not compared; {', '.join(row.formulation for row in self.rows)} were")

    def table(self) -> str:
        """A line for each formulation, the largest errors over the run; what has no number anywhere is left out.

        >>> import detent
        >>> print(detent.compare(detent.example("slider-crank"), ["projection"], until=1).table().splitlines()[0])
        slider-crank to t = 1 against embedded with dop853 at rtol 1e-12
        """
        kept = [name for name in COLUMNS if any(getattr(row, name) is not None for row in self.rows)]
        cells = [["", *(COLUMNS[name][0] for name in kept)]]
        cells += [[row.formulation, *(_cell(row, name) for name in kept)] for row in self.rows if row.run is not None]
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        lines = [self._heading()]
        for line in cells:
            rest = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
            lines.append("  ".join([line[0].ljust(widths[0]), *rest]).rstrip())
        return "\n".join([*lines, *(f"{row.formulation}: {row.reason}" for row in self.rows if row.reason is not None)])

    def _heading(self) -> str:
        reference = self.reference
        how = f"rtol {reference.rtol:.3g}" if reference.rtol is not None else f"step {reference.step:.3g}"
        return (
            f"{self.name} to t = {self.until:.9g} against {self.reference_formulation} with {reference.method} at {how}"
        )

    def as_json(self) -> dict[str, Any]:
        """The object that ``detent compare --json`` prints; what there is no number for is null."""
        reference = {
            "formulation": self.reference_formulation, "method": self.reference.method, "rtol": self.reference.rtol,
            "step": self.reference.step, "outcome": self.reference.outcome.word,
        }  # fmt: skip
        rows = [row.as_json() for row in self.rows]
        return json_object({"example": self.name, "until": self.until, "reference": reference, "formulations": rows})

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the errors over time; ``path`` writes a file (png, svg, pdf). Returns the figure.

        >>> import detent
        >>> figure = detent.compare(detent.example("slider-crank"), ["embedded", "corrected"], until=1).plot()
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['position error', 'velocity error', 'energy error in J']
        """
        from detent.comparison.picture import draw_comparison

        return draw_comparison(self, path)

    def __repr__(self) -> str:
        return self.table()


def _largest(values: FloatArray) -> float:
    """The largest that is known; zero where there is none."""
    return float(np.fmax.reduce(values, axis=None, initial=0.0))


def _cell(row: ComparisonRow, name: str) -> str:
    value = getattr(row, name)
    return "" if value is None else format(value, COLUMNS[name][1])
