"""A disk on a ramp and on a fence whose shape becomes known on the way: Example 2 of Gillespie and others.

The ramp goes down to the left at the angle ``tilt`` and ends at P, the path length ``L`` from O. There a fence
carries it on, an arc of radius ``R`` and length ``Lf`` that curves upwards; the disk's centre runs on a circle of
radius R - r. The fence becomes known at t = ``known``: only then its constraint is written down and its mode and
transitions are added, while the disk slides on. There is no friction. At the end of the fence the disk flies off.

``q1`` and ``q2`` are the level and the upright coordinate of the disk's centre from O, ``q3`` its angle, and ``q4``
the path length of the point of the path that is nearest to it; u1, ..., u4 are their rates. In contact the path says
where the centre is:

    on the ramp:    q1 = -q4 cos(tilt) - r sin(tilt),   q2 = -q4 sin(tilt) + r cos(tilt)
    on the fence:   q1 = C1 - (R - r) sin(slope),       q2 = C2 - (R - r) cos(slope),   slope = (q4 - L)/R - tilt

with C the centre of the arc, R above P across the ramp. ``q4`` has no inertia; in flight it stays at the place that was
touched last, which is the nearest one after the end of the path. At P the rate u4 jumps, for on the fence the point of
contact moves R/(R - r) times as fast as the centre; the disk itself notices nothing but a new normal force. A disk that
comes off may land on the ramp again (plastically), as in the paper's Figure 9, but not on the fence.

The paper prints no values; ``g=9.8 tilt=pi/12 r=1 m=1 L=75 R=20 Lf=25`` and a start from rest at O give the times it
prints (7.7 s and 9.0 s). Its equations for the ramp, u1 = u4 cos(tilt) and u2 = u4 sin(tilt), go with those for the
fence, u1 = -(R - r)/R u4 cos(slope) and u2 = (R - r)/R u4 sin(slope), only with minus signs, as above. The disk is
taken as uniform; without friction it does not turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sympy import cos, pi, sin

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.model.constraint import holonomic, motion
from detent.model.system import System

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

TITLE = "a disk on a ramp and a fence whose shape becomes known during the run (Gillespie et al., Example 2)"


def build() -> Example:
    """The disk; modes ``ramp``, ``free`` and, from ``known`` (s) on, ``fence``.

    >>> run = build().simulate()
    >>> [(round(event.time, 1), event.target) for event in run.events.of_kind("transition")]
    [(7.7, 'fence'), (9.0, 'free')]
    """
    system = System("adjustable fence")
    m, r, g, tilt, L = system.parameters(m=1, r=1, g=9.8, tilt=pi / 12, L=75)
    known = system.parameters(R=20, Lf=25, known=7)[-1]
    q1, q2, q3, q4 = system.coordinates("q1", "q2", "q3", "q4")
    u1, u2, _, u4 = system.speeds(u1=q1.rate, u2=q2.rate, u3=q3.rate, u4=q4.rate)
    system.start(q4=0)
    system.units(
        q1="m", q2="m", q3="rad", q4="m", m="kg", r="m", g="m/s^2", tilt="rad", L="m", R="m", Lf="m", known="s"
    )
    center = system.origin.offset("center", q1 * system.ground.x + q2 * system.ground.y)
    system.body("disk", center, system.ground.rotated("disk", q3), m, m * r**2 / 2)
    system.gravity(-g * system.ground.y)
    touching = holonomic("ramp", x=q1 + q4 * cos(tilt) + r * sin(tilt), y=q2 + q4 * sin(tilt) - r * cos(tilt))
    automaton = Automaton(system)
    ramp = automaton.mode("ramp", [system.constrain(touching, active=False)])
    free = automaton.mode("free", [system.constrain(motion("kept", u4), active=False)])
    normal = system.reaction("ramp.y") * cos(tilt) - system.reaction("ramp.x") * sin(tilt)
    automaton.transition("lifts off the ramp", ramp, free, when=normal <= 0, reset={u4: 0})
    is_unknown = system.time <= known
    automaton.transition("ramp ends", ramp, free, when=q4 >= L, condition_before=is_unknown, reset={u4: 0})
    gap, down = q2 * cos(tilt) - q1 * sin(tilt) - r, -q1 * cos(tilt) - q2 * sin(tilt)
    along = -u1 * cos(tilt) - u2 * sin(tilt)
    stopped = {q4: down, u1: -along * cos(tilt), u2: -along * sin(tilt), u4: along}
    automaton.transition("lands", free, ramp, when=gap <= 0, condition_before=down <= L, reset=stopped, kind="impact")
    return Example("adjustable-fence", system, until=10.0, settings={"script": _learn_the_fence}, automaton=automaton)


def _learn_the_fence(simulation: Simulation, until: float) -> None:
    values = simulation.parameters
    known, R, Lf, r = (values[name] for name in ("known", "R", "Lf", "r"))
    if not (known >= 0 and r < R and Lf > 0):
        raise ValueProblem(
            f"the fence becomes known at known = {known!r} with the radius R = {R!r} and the length Lf = {Lf!r}; make "
            f"known zero or later, R greater than the disk's radius r = {r!r}, and Lf greater than zero"
        )
    simulation.advance(min(known, until))
    automaton = simulation.automaton
    assert automaton is not None
    if known < until and "fence" not in automaton.modes:  # it is there when the same example runs again
        add_fence(automaton)


def add_fence(automaton: Automaton) -> None:
    """Add the fence's mode and transitions to the automaton of the ramp; that may be done while it runs.

    >>> automaton = build().automaton
    >>> add_fence(automaton)
    >>> [row.name for row in automaton.modes["fence"].constraints[0].rows]
    ['fence.x', 'fence.y']
    """
    system: Any = automaton.system
    tilt, L, R, Lf, r, known = (system[name] for name in ("tilt", "L", "R", "Lf", "r", "known"))
    q1, q2, q4, u4 = (system[name] for name in ("q1", "q2", "q4", "u4"))
    slope, reach, faster = (q4 - L) / R - tilt, R - r, R / (R - r)
    x, y = -L * cos(tilt) - R * sin(tilt), R * cos(tilt) - L * sin(tilt)  # of the centre of the arc
    touching = holonomic("fence", x=q1 - x + reach * sin(slope), y=q2 - y + reach * cos(slope))
    normal = system.reaction("fence.x") * sin(slope) + system.reaction("fence.y") * cos(slope)
    fence, is_known = automaton.mode("fence", [touching]), system.time >= known
    add = automaton.transition
    add("reaches the fence", "ramp", fence, when=q4 >= L, condition_before=is_known, reset={u4: faster * u4})
    add("back on the ramp", fence, "ramp", when=q4 <= L, reset={u4: u4 / faster})
    add("fence ends", fence, "free", when=q4 >= L + Lf, reset={u4: 0})
    add("lifts off the fence", fence, "free", when=normal <= 0, reset={u4: 0})
