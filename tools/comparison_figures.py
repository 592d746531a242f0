"""Draws the pictures of docs/comparing.md: ``python -m tools.comparison_figures``, or ``make figures``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np

import detent
from detent.view.files import new_figure, write_picture

PICTURES: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures"
FREE: Final = detent.Multipliers(damping=0, stiffness=0)
BOWL: Final = ["embedded", detent.Corrected(energy=True), "corrected", "multipliers", FREE]
CRANK: Final = ["embedded", "corrected", "multipliers", detent.Penalty(stiffness=1e4, damping=100)]
ROCKING: Final = ["embedded", "complementarity", "impulse", detent.Penalty(stiffness=1e4, damping=20)]
TILT: Final = 0.3


def bowl(until: float = 100.0) -> detent.Comparison:
    """A ball that rolls in a bowl: constraints for a long time."""
    return detent.compare(detent.example("ball-in-bowl"), BOWL, until=until, method="rk4", step=0.01)


def crank(until: float = 10.0) -> detent.Comparison:
    """A slider-crank: a closed loop.

    >>> crank(until=0.5).rows[-1].formulation
    'penalty(stiffness=10000, damping=100)'
    """
    return detent.compare(detent.example("slider-crank"), CRANK, until=until, method="rk4", step=0.01)


def rocking(until: float = 5.0) -> detent.Comparison:
    """A block that rocks from corner to corner: contacts and impacts."""
    return detent.compare(detent.example("rocking-block"), ROCKING, until=until, method="rk4", step=1e-3)


def block_on_slope() -> detent.System:
    """A block on a slope inside the cone of friction, let go a little above it."""
    block = detent.System("block")
    x, y = block.coordinates(x=0, y=0.002)
    slope = block.ground.rotated("slope", TILT)
    body = block.particle("block", block.origin.offset("place", x * slope.x + y * slope.y), mass=1)
    block.gravity(-9.81 * block.ground.y)
    block.contact("block|slope", body.point(), slope.line(), friction=detent.Coulomb(0.5), impact=detent.Plastic())
    return block


def chattering(path: Path | None = None) -> Any:
    """The normal velocity of the block by repeated impulses, with two steps, against the exact mode (Pedrami, Fig. 12).

    >>> [axes.get_ylabel() for axes in chattering().axes]
    ['normal velocity in m/s', 'chattering in m/s']
    """
    figure = new_figure("draw chattering", figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    for number, step in enumerate((0.01, 0.0025)):
        run = detent.simulate(block_on_slope(), 0.25, formulation="impulse", method="rk4", step=step)
        left.plot(*sawtooth(run), linewidth=0.9, color=f"C{number}", label=f"impulse, step {step:g} s")
    exact = detent.simulate(block_on_slope(), 0.25)
    left.plot(exact.t, exact.y_rate, "k", linewidth=1.6, label="embedded: exact modes")
    left.set(xlabel="time in s", ylabel="normal velocity in m/s")
    left.legend(frameon=False)
    steps = [0.02 / 2**k for k in range(6)]
    right.loglog(steps, [chatter(step) for step in steps], "o", label="impulse")
    right.loglog(steps, [9.81 * math.cos(TILT) * step / 2 for step in steps], "k--", linewidth=0.8, label="g cos h/2")
    right.set(xlabel="step in s", ylabel="chattering in m/s")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(True, alpha=0.3)
    if path is not None:
        write_picture(figure, path)
    return figure


def sawtooth(run: detent.Run) -> tuple[np.ndarray, np.ndarray]:
    """The normal velocity along free flight, up to the impulse at the end of each step, and after it."""
    fall = run.trajectory.rate[:-1, run.layout.column("y_rate")] * np.diff(run.t)
    velocity = np.stack([run.y_rate[:-1], run.y_rate[:-1] + fall], axis=1)
    return np.stack([run.t[:-1], run.t[1:]], axis=1).ravel(), velocity.ravel()


def chatter(step: float) -> float:
    """How fast the block moves against the slope once it lies on it."""
    run = detent.simulate(block_on_slope(), 1.0, formulation="impulse", method="rk4", step=step)
    return float(np.abs(run.y_rate[run.t > 0.5]).max())


def draw_all() -> None:
    """Draw every picture."""
    for name, make in (("bowl", bowl), ("crank", crank), ("rocking", rocking)):
        compared = make()
        print(compared.table())
        compared.plot(PICTURES / f"compared_{name}.png")
    chattering(PICTURES / "chattering.png")


if __name__ == "__main__":
    draw_all()
