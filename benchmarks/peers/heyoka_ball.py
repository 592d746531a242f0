"""The bouncing ball in heyoka: Taylor's method, whose polynomials make the search for an event exact.

The ball is dropped, because heyoka does not see the bounces of one that starts on the floor. A terminal event is
a root of the height that falls; its callback, in Python, keeps the time and turns the speed round. After some 27
bounces at half the speed heyoka no longer finds the next one and the ball falls through: what is compared is a number
of bounces before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from . import GRAVITY, peer_module


@final
@dataclass
class HeyokaBall:
    """The ball, compiled; :meth:`drop` lets it fall and bounce.

    >>> ball = HeyokaBall.build(height=1.0, restitution=0.5)
    >>> len(ball.drop(until=1.0))
    2
    """

    name: ClassVar[str] = "heyoka"
    version: str
    height: float
    _integrator: Any

    @classmethod
    def build(cls, height: float, restitution: float) -> Self:
        """A ball at a height (m), with Newton's restitution; :class:`PeerMissing` without the package ``heyoka``.

        >>> HeyokaBall.build(height=1.0, restitution=0.5).height
        1.0
        """
        engine = peer_module("heyoka", package="heyoka")
        y, v = engine.make_vars("y", "v")
        bounce = engine.t_event(y, callback=_Bounce(restitution), direction=engine.event_direction.negative)
        gravity = engine.expression(-GRAVITY)
        integrator = engine.taylor_adaptive([(y, v), (v, gravity)], [height, 0.0], t_events=[bounce])
        return cls(engine.__version__, height, integrator)

    def drop(self, until: float) -> list[float]:
        """The times (s) of the bounces until a time.

        >>> round(HeyokaBall.build(height=1.0, restitution=0.5).drop(until=0.6)[0], 12)
        0.451523640986
        """
        integrator = self._integrator
        integrator.time, integrator.state[:] = 0.0, (self.height, 0.0)
        integrator.reset_cooldowns()
        kept: list[float] = integrator.t_events[0].callback.times
        kept.clear()
        integrator.propagate_until(until)
        return kept


class _Bounce:
    """What heyoka calls at a bounce. It works on a copy of this, so the times are read from the copy."""

    def __init__(self, restitution: float) -> None:
        self.restitution, self.times = restitution, list[float]()

    def __call__(self, integrator: Any, sign: int) -> bool:
        self.times.append(integrator.time)
        integrator.state[1] *= -self.restitution
        return True
