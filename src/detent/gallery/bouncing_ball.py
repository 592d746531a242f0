"""A ball that bounces lower and lower and comes to rest: infinitely many impacts in a finite time.

The ball is thrown up from the floor at the speed ``v0`` and returns each time with the part ``c`` (Newton's
restitution) of the speed it came with. Each flight lasts c times as long as the one before, so that the bounces are
at

    t_i = 2 v0 (1 + c + ... + c^i)/g,    i = 0, 1, 2, ...

and pile up at 2 v0/(g (1 - c)), the Zeno time; from then on the ball rests. The one-coordinate case of Pedrami's
thesis on rigid bodies in contact, which prints no values: those here are chosen. ``c=1`` bounces for ever, ``c=0``
not at all.
"""

from __future__ import annotations

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.impact import Impact
from detent.model.constraint import holonomic
from detent.model.system import System

TITLE = "a ball whose bounces pile up at one instant, after which it rests (Zeno)"


def build(v0: float = 5.0) -> Example:
    """The ball at the height ``y`` (m) with the speed ``v`` (m/s); ``v0`` is the speed it starts with, from the floor.

    ``y`` and ``v`` may be given as well: a ball dropped from the height h has ``y=h v=0``. Modes: ``flight``, ``rest``.

    >>> run = build().simulate()
    >>> bounces = run.events.of_kind("impact")
    >>> [round(event.time, 9) for event in bounces[:3]]
    [1.019367992, 1.529051988, 1.783893986]
    >>> run.mode, run.final.y == 0, run.final.v == 0
    ('rest', True, True)
    """
    if not v0 > 0:
        raise ValueProblem(
            f"'v0' of 'bouncing-ball' is {v0!r}; throw the ball upwards, faster than zero, or drop it with y=1 v=0"
        )
    system = System("bouncing ball")
    c, g = system.parameters(c=0.5, g=9.81)
    y = system.coordinates("y")
    system.speeds(v=y.rate)
    system.start(y=0, v=v0)
    system.units(y="m", g="m/s^2")
    system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-g * system.ground.y)
    floor = system.constrain(holonomic("floor", y), active=False)
    automaton = Automaton(system)
    flight = automaton.mode("flight", where=y >= 0)
    rest = automaton.mode("rest", constraints=[floor])
    # What rounding leaves of the height where the floor is struck is dropped, so that the ball comes to rest at zero.
    strike = [{y: 0}, Impact(floor, restitution=c)]
    automaton.transition("bounce", flight, flight, when=y <= 0, reset=strike, accumulates=rest)
    return Example("bouncing-ball", system, until=3.0, structure={"v0": v0}, automaton=automaton)


def bounce_time(number: int, v0: float, c: float, g: float) -> float:
    """When the ball thrown up from the floor strikes it for the first time (number 0), the second, and so on (s).

    >>> round(bounce_time(2, 5.0, 0.5, 9.81), 11)
    1.78389398573
    """
    return 2 * v0 / g * sum(c**power for power in range(number + 1))


def zeno_time(v0: float, c: float, g: float) -> float:
    """When the bounces of the ball thrown up from the floor have piled up (s).

    >>> round(zeno_time(5.0, 0.5, 9.81), 14)
    2.03873598369011
    """
    return 2 * v0 / (g * (1 - c))


def zeno_time_dropped(height: float, c: float, g: float) -> float:
    """When the bounces of a ball dropped from a height (m) have piled up (s).

    >>> zeno_time_dropped(4.905, 0.5, 9.81)
    3.0
    """
    return float((2 * height / g) ** 0.5 * (1 + c) / (1 - c))
