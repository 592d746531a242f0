"""The bouncing ball with a contact instead of an automaton: what bounces and comes to rest follows from the shapes.

The same ball as ``bouncing-ball``: thrown up from the floor at the speed ``v0``, it returns each time with the part
``c`` of the speed it came with, and its bounces pile up at 2 v0/(g (1 - c)). Here nobody writes a guard, a reset or a
mode: a point touches a line, by Poisson's law, which is Newton's where there is no friction. The closed forms are
:func:`detent.gallery.bouncing_ball.bounce_time` and :func:`detent.gallery.bouncing_ball.zeno_time`.
"""

from __future__ import annotations

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "the bouncing ball, as a contact of two shapes"


def build(v0: float = 5.0) -> Example:
    """The ball at the height ``y`` (m) with the speed ``v`` (m/s); ``v0`` is the speed it starts with, from the floor.

    >>> run = build().simulate()
    >>> [(round(event.time, 9), event.name) for event in run.events.of_kind("impact")[:2]]
    [(1.019367992, 'ball|floor: bounce'), (1.529051988, 'ball|floor: bounce')]
    >>> [(round(event.time, 9), event.name) for event in run.events.of_kind("zeno")]
    [(2.038735984, 'ball|floor: open -> slip')]
    """
    if not v0 > 0:
        raise ValueProblem(
            f"'v0' of 'bouncing-ball-contact' is {v0!r}; throw the ball upwards, faster than zero, or drop it with "
            "y=1 v=0"
        )
    system = System("bouncing ball, by contact")
    c, g = system.parameters(c=0.5, g=9.81)
    y = system.coordinates("y")
    system.speeds(v=y.rate)
    system.start(y=0, v=v0)
    system.units(y="m", g="m/s^2")
    ball = system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-g * system.ground.y)
    system.contact("ball|floor", ball.point(), system.ground.line(), impact=Poisson(c))
    return Example("bouncing-ball-contact", system, until=3.0, structure={"v0": v0})
