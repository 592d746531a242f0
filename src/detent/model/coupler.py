"""The virtual coupler: a spring and a damper between a hand and a point of a body (Gillespie and Colgate 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from detent.errors import DetentError, ValueProblem
from detent.model.body import Body
from detent.model.point import Point

if TYPE_CHECKING:
    from detent.model.system import System

_AXES: Final = ("x", "y", "z")


@final
@dataclass(frozen=True, eq=False)
class Coupler:
    """A spring and a damper between a hand and a point, as :func:`detent.couple` makes them.

    The hand is where inputs say, and so is whether it holds on; the point feels

        F = grip (K (x - y) + B (x' - y'))

    with x the place of the hand and y that of the point, and the hand the opposite. K and B are the parameters
    ``NAME_stiffness`` (N/m) and ``NAME_damping`` (N s/m).

    >>> import detent
    >>> system = detent.System("bead")
    >>> x = system.coordinates("x")
    >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
    >>> detent.couple("hand", bead).damping
    'hand_damping'
    """

    name: str
    point: Point
    force: tuple[Any, Any, Any]
    """What the point feels, along the ground's axes (N)."""

    @property
    def grip(self) -> str:
        """The input that says whether the hand holds on, 1 or 0."""
        return f"{self.name}_grip"

    @property
    def position(self) -> tuple[str, str, str]:
        """The inputs that say where the hand is (m)."""
        return (f"{self.name}_x", f"{self.name}_y", f"{self.name}_z")

    @property
    def velocity(self) -> tuple[str, str, str]:
        """The inputs that say how fast it moves (m/s)."""
        return (f"{self.name}_vx", f"{self.name}_vy", f"{self.name}_vz")

    @property
    def stiffness(self) -> str:
        """The parameter K."""
        return f"{self.name}_stiffness"

    @property
    def damping(self) -> str:
        """The parameter B."""
        return f"{self.name}_damping"


def couple(name: str, at: Point | Body, *, stiffness: float = 200.0, damping: float = 2.0) -> Coupler:
    """Declare a virtual coupler at a point or a body's centre, by which a hand can take hold of it in a live run.

    ``stiffness`` is in N/m, ``damping`` in N s/m. It is a part of the model from now on: inputs, two parameters, and a
    force that is zero while no hand holds on. A live run checks that a device which displays the force stays passive
    (:func:`detent.least_damping`).

    >>> import detent
    >>> system = detent.System("bead")
    >>> x = system.coordinates("x")
    >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
    >>> coupler = detent.couple("hand", bead, stiffness=100)
    >>> coupler.position, coupler.stiffness
    (('hand_x', 'hand_y', 'hand_z'), 'hand_stiffness')
    """
    if not isinstance(at, (Point, Body)):
        raise DetentError(f"coupler '{name}': found {at!r} where a point or a body was expected")
    for what, value in (("stiffness", stiffness), ("damping", damping)):
        check_gain(f"coupler '{name}'", what, value)
    point = at.center if isinstance(at, Body) else at
    system: System = point.system
    ground = system.ground
    axes = (ground.x, ground.y, ground.z)
    gains: dict[str, Any] = {f"{name}_stiffness": stiffness, f"{name}_damping": damping}
    K, B = system.parameters(**gains)
    grip = system.input(f"{name}_grip")
    hand = [system.input(f"{name}_{axis}") for axis in _AXES]
    moves = [system.input(f"{name}_v{axis}") for axis in _AXES]
    place, velocity = point.position(), point.velocity()
    force = [
        grip * (K * (where - place.dot(axis)) + B * (speed - velocity.dot(axis)))
        for where, speed, axis in zip(hand, moves, axes, strict=True)
    ]
    system.force(name, point, force[0] * axes[0] + force[1] * axes[1] + force[2] * axes[2])
    return Coupler(name, point, (force[0], force[1], force[2]))


def least_damping(stiffness: float, damping: float, period: float, delay: float = 0.0) -> float:
    """How much damping a device must have of its own (N s/m) to display a spring and a damper and stay passive.

    Colgate and Schenkel (1997): a sampled and held virtual impedance H(z) is passive with a device of damping b if

        b > T/2 / (1 - cos wT) Re[(1 - exp(-iwT)) H(exp(iwT))]      for 0 < w < pi/T

    For K + B (z - 1)/(T z), delayed by n periods, the right side is

        K T/2 sin((n + 1/2) wT)/sin(wT/2) - B cos((n + 1) wT)

    which is never more than

        K (T/2 + n T) + |B|

    That is what this gives, with ``delay`` = n T between the reading of a position and the display of its force, beyond
    the hold; without delay it is reached at the highest frequency.

    >>> round(least_damping(stiffness=1000, damping=2, period=1e-3), 6)
    2.5
    """
    return stiffness * (period / 2 + delay) + abs(damping)


def check_gain(where: str, what: str, value: Any) -> None:
    """That a gain of a coupler is a number that can be used."""
    try:
        good = not isinstance(value, str) and 0.0 <= float(value) < float("inf")
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueProblem(f"{where}: the {what} is {value!r}; give a finite number of zero or more")
