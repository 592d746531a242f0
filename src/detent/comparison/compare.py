"""Run one model in several formulations and compare them with a reference."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any, Final

from detent.comparison.comparison import Comparison, ComparisonRow
from detent.comparison.run_errors import run_errors
from detent.errors import DetentError, DetentWarning, SimulationError, ValueProblem
from detent.formulation.registry import FORMULATIONS, FormulationOption, chosen, settings_of
from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.run import Run

REFERENCE_RTOL: Final = 1e-12
REFERENCES: Final = ("embedded", "corrected")
"""What the reference runs in: the first that can express the model."""
REPEATED_BELOW: Final = 1.0
"""A run that took less than this, s, is made again, for a first run also waits for machine code."""


def compare(
    model: System | Automaton | Example,
    formulations: Sequence[str | FormulationOption] | None = None,
    *,
    until: float | None = None,
    progress: bool | None = None,
    **changes: Any,
) -> Comparison:
    """Run a model in several formulations, all by default, and say how far each is from a reference run.

    The reference is embedded, by ``dop853`` with the relative tolerance 1e-12; where embedding cannot express the
    model it is ``corrected``. ``changes`` are options of the compared runs (:class:`detent.Options`), such as
    ``method``, ``step`` or ``parameters``. A formulation that cannot express the model, or whose run ends early, has a
    row that says why. ``progress`` shows which run is made and how far it is; by default in a terminal only.

    >>> import detent
    >>> compared = detent.compare(detent.example("slider-crank"), ["embedded", "corrected"], until=1,
    ...                           method="rk4", step=0.01)
    >>> all(row.position_error < 1e-5 for row in compared.rows)
    True
    """
    example = _as_example(model, until)
    given = FORMULATIONS if formulations is None else formulations
    if isinstance(given, str) or not given:
        raise ValueProblem(f"formulations is {given!r}; give a list of one or more of {', '.join(FORMULATIONS)}")
    options = [chosen(each) for each in given]
    if "formulation" in changes or "resume" in changes or "times" in changes or "keep" in changes:
        raise ValueProblem(
            "compare makes whole runs in the formulations; leave out formulation, resume, times and keep"
        )
    end = example.until if until is None else until
    teller = _Teller(len(options) + 1, progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetentWarning)  # a remark of one of many runs; they are in run.remarks
        reference, name = _reference(example, end, changes, teller)
        rows = tuple(_row(example, option, end, changes, reference, teller) for option in options)
    return Comparison(example.name, float(end), reference, name, rows)


def _as_example(model: Any, until: float | None) -> Example:
    if isinstance(model, Example):
        return model
    if until is None:
        raise ValueProblem("compare does not know how long to run this model; give until=, in s")
    if isinstance(model, Automaton):
        return Example(model.system.name, model.system, until, automaton=model)
    if isinstance(model, System):
        return Example(model.name, model, until)
    raise ValueProblem(f"compare was given {model!r}; give a detent.System, a detent.Automaton or detent.example(...)")


class _Teller:
    """Says in a terminal which of the runs is being made."""

    def __init__(self, runs: int, wanted: bool | None) -> None:
        self._runs, self._number, self.wanted = runs, 0, sys.stderr.isatty() if wanted is None else wanted

    def tell(self, what: str) -> None:
        self._number += 1
        if self.wanted:
            print(f"detent: run {self._number} of {self._runs}: {what}", file=sys.stderr, flush=True)


def _reference(example: Example, end: float, changes: dict[str, Any], teller: _Teller) -> tuple[Run, str]:
    """A run at tight tolerance, and in which formulation it is."""
    own = {name: value for name, value in changes.items() if name not in ("method", "rtol", "atol", "step")}
    refused: list[DetentError] = []
    teller.tell(f"the reference, at rtol {REFERENCE_RTOL:g}")
    for name in REFERENCES:
        try:
            tight = {"method": "dop853", "rtol": REFERENCE_RTOL, "atol": None, "step": None}
            return example.simulate(**own, **tight, until=end, formulation=name, progress=teller.wanted), name
        except SimulationError as error:
            if error.run is not None and len(error.run.t) > 1:
                raise
            refused.append(error)
        except DetentError as error:
            refused.append(error)
    raise refused[0]


def _row(
    example: Example, option: FormulationOption, end: float, changes: dict[str, Any], reference: Run, teller: _Teller
) -> ComparisonRow:
    settings = settings_of(option)
    teller.tell(label(option))
    reason = None
    try:
        run, wall = _timed(example, changes | {"until": end, "formulation": option, "progress": teller.wanted})
    except SimulationError as error:
        if error.run is None or error.run.timing is None:
            return ComparisonRow(label(option), settings, str(error))
        run, wall, reason = error.run, error.run.timing.wall_s, str(error)
    except DetentError as error:
        return ComparisonRow(label(option), settings, str(error))
    return ComparisonRow(label(option), settings, reason, run, run_errors(run, reference), wall)


def label(option: FormulationOption) -> str:
    """What a formulation is called: its name, and those settings that are not the usual ones.

    >>> from detent.formulation.multipliers import Multipliers
    >>> label(Multipliers()), label(Multipliers(damping=0))
    ('multipliers', 'multipliers(damping=0)')
    """
    usual = settings_of(FORMULATIONS[option.name])
    other = [
        f"{name}={value if isinstance(value, (bool, str)) else format(value, 'g')}"
        for name, value in settings_of(option).items()
        if value != usual[name]
    ]
    return f"{option.name}({', '.join(other)})" if other else option.name


def _timed(example: Example, arguments: dict[str, Any]) -> tuple[Run, float]:
    """A run, and the time of the quicker of two."""
    run = example.simulate(**arguments)
    assert run.timing is not None
    if run.timing.wall_s >= REPEATED_BELOW:
        return run, run.timing.wall_s
    again = example.simulate(**arguments).timing
    assert again is not None
    return run, min(run.timing.wall_s, again.wall_s)
