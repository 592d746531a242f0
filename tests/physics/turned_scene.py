"""A scene in the plane that is turned as a whole, in some unit of length: what is flat is so but for rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass

import detent


@dataclass(frozen=True)
class TurnedScene:
    """Places are told in metres, along and above what bodies lie on."""

    turned: float
    """rad."""
    by_frame: bool
    """Whether a frame turns what bodies lie on; else its places are turned."""
    unit: float
    """So many units of length a metre has."""

    def place_of(self, along: float, above: float) -> tuple[float, float]:
        """A place, or a vector, along the axes of the ground."""
        c, s = math.cos(self.turned), math.sin(self.turned)
        return self.unit * (c * along - s * above), self.unit * (s * along + c * above)

    def seen(self, along: float, above: float) -> tuple[float, float]:
        """The same along the axes of what carries a support."""
        return (self.unit * along, self.unit * above) if self.by_frame else self.place_of(along, above)

    def carrier(self, system: detent.System) -> detent.Frame:
        """What carries supports."""
        return system.ground.rotated("table", self.turned) if self.by_frame else system.ground

    def pull(self, system: detent.System, along: float, above: float) -> None:
        """Let gravity act (m/s^2)."""
        x, y = self.place_of(along, above)
        system.gravity(x * system.ground.x + y * system.ground.y)
