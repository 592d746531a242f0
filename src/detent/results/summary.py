"""A run in a few lines of text."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from detent.results.outcome import Outcome

if TYPE_CHECKING:
    from detent.results.run import Run

_SHOWN = 8


def one_line(run: Run) -> str:
    """The run in one line, for a prompt.

    >>> from detent.results import sample_run
    >>> one_line(sample_run())
    "<Run 'thrown-stone': completed at t = 1.25, 4 nodes>"
    """
    return f"<Run '{run.name}': {run.outcome.word} at t = {run.t[-1]:.9g}, {len(run.t)} nodes>"


def html_text(run: Run) -> str:
    """The summary for a notebook.

    >>> from detent.results import sample_run
    >>> html_text(sample_run()).startswith("<pre>thrown-stone")
    True
    """
    return f"<pre>{html.escape(summary(run))}</pre>"


def summary(run: Run) -> str:
    """What ran, how it ended, what it cost, where it ended and how far it can be trusted.

    >>> from detent.results import sample_run
    >>> print(summary(sample_run()))
    thrown-stone: completed at t = 1.25 with rk4 (step 1), mode 'flight'
      cost    2 steps (0 rejected), 8 evaluations, 0.001 s
      final   y = 0.3125, v = 0
      events  1: 1 impact
      audit   energy balance 0 of 12.5 J, position residual 0, velocity residual 0, smallest gap 0 m
    """
    lines = [
        f"{run.name}: {run.outcome.word} at t = {run.t[-1]:.9g} with {_method(run)}, mode '{run.mode}'",
        *_trouble(run),
        *_cost(run),
        f"  final   {_final(run)}",
        f"  events  {_events(run)}",
        f"  audit   {_audit(run)}",
        *(f"  remark  {text}" for text in run.remarks),
    ]
    return "\n".join(lines)


def _method(run: Run) -> str:
    settings = {"rtol": run.rtol, "atol": run.atol, "step": run.step}
    given = [f"{name} {value:.3g}" for name, value in settings.items() if value is not None]
    return f"{run.method} ({', '.join(given)})" if given else run.method


def _trouble(run: Run) -> list[str]:
    if run.outcome is Outcome.COMPLETED:
        return [f"  note    {run.message}"] if run.message else []
    reached = f"  stopped before t = {run.until:.9g}: {run.outcome.advice}"
    return [reached, f"  detail  {run.message}"] if run.message else [reached]


def _cost(run: Run) -> list[str]:
    if run.timing is None:
        return []
    timing = run.timing
    counts = f"{timing.steps} steps ({timing.rejected_steps} rejected), {timing.rhs_evaluations} evaluations"
    compiled = f" (and {timing.compile_s:.3g} s, once, to compile kernels)" if timing.compile_s > 0.0 else ""
    return [f"  cost    {counts}, {timing.wall_s:.3g} s{compiled}"]


def _final(run: Run) -> str:
    values = run.final.as_dict()
    shown = [f"{name} = {value + 0.0:.9g}" for name, value in list(values.items())[:_SHOWN]]
    more = [f"... ({len(values) - _SHOWN} more)"] if len(values) > _SHOWN else []
    return ", ".join(shown + more) or "no coordinates"


def _events(run: Run) -> str:
    counts = run.events.counts
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{len(run.events)}: {kinds}" if counts else "none"


def _audit(run: Run) -> str:
    audit = run.audit
    residuals = f"position residual {audit.position_residual:.3g}, velocity residual {audit.velocity_residual:.3g}"
    gap = "" if audit.smallest_gap is None else f", smallest gap {audit.smallest_gap:.3g} m"
    if audit.largest_cone_excess is not None:
        gap += f", cone excess {audit.largest_cone_excess:.3g}"
    if audit.complementarity is not None:
        gap += f", complementarity {audit.complementarity:.3g}"
    return f"energy balance {audit.energy_balance:.3g} of {audit.energy_scale:.6g} J, {residuals}{gap}"
