"""How far a run may be off, from its own settings."""

from __future__ import annotations

from detent import Run


def accumulated(run: Run) -> float:
    """The relative error of a run whose steps all err by the full tolerance, and all to the same side.

    An adaptive step is accepted when its error is estimated below rtol, so the errors of n steps add up to n rtol at
    worst, where the motion itself neither damps nor magnifies them.
    """
    assert run.rtol is not None
    assert run.timing is not None
    return run.rtol * run.timing.steps
