"""A disk on a ramp and on a fence whose shape becomes known on the way: Example 2 of Gillespie and others.

The ramp goes down to the left at the angle ``tilt`` and ends at P, the path length ``L`` from O. There a fence
carries it on, an arc of radius ``R`` and length ``Lf`` that curves upwards; the disk's centre runs on a circle of
radius R - r. The fence becomes known at t = ``known``: only then its constraint is written down and its mode and
transitions are added, while the disk slides on. There is no friction. At the end of the fence the disk flies off.

``q1`` and ``q2`` are the level and the upright coordinate of the disk's centre from O, ``q3`` its angle, and ``q4``
the path length of the point of the path that is nearest to it; u1, ..., u4 are their rates. ``q4`` has no inertia:
where there is contact the row ``nearest`` says what it is, in flight it stays at the place that was touched last,
which is the nearest one after the end of the path. At P the rate u4 jumps, for the point of contact moves R/(R - r)
times as fast as the centre on the fence and just as fast as it on the ramp; the disk itself notices nothing but a
new normal force.

The paper prints no values; ``g=9.8 tilt=pi/12 r=1 m=1 L=75 R=20 Lf=25`` and a start from rest at O give the times it
prints (7.7 s and 9.0 s). Its fence equations, u1 = -(R - r)/R u4 cos((q4 - L)/R - tilt) and
u2 = (R - r)/R u4 sin((q4 - L)/R - tilt), go with the ramp's only if those have minus signs, u1 = -u4 cos(tilt) and
u2 = -u4 sin(tilt); that is what is used here. The disk is taken as uniform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sympy import cos, pi, sin

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.model.constraint import Constraint, holonomic, motion
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
    ground, slope = system.ground, system.ground.rotated("ramp", tilt)
    center = system.origin.offset("center", q1 * ground.x + q2 * ground.y)
    system.body("disk", center, ground.rotated("disk", q3), m, m * r**2 / 2)
    system.gravity(-g * ground.y)
    down, gap = center.along(-slope.x), center.along(slope.y) - r
    automaton = Automaton(system)
    ramp = automaton.mode("ramp", [system.constrain(holonomic("ramp", contact=gap, nearest=down - q4), active=False)])
    free = automaton.mode("free", [system.constrain(motion("kept", u4), active=False)])
    automaton.transition("lifts off the ramp", ramp, free, when=system.reaction("ramp.contact") <= 0, reset={u4: 0})
    automaton.transition(
        "ramp ends", ramp, free, when=q4 >= L, condition_before=system.time <= known, reset={u4: 0}
    )  # fmt: skip
    along = -u1 * cos(tilt) - u2 * sin(tilt)
    stopped = {q4: down, u1: -along * cos(tilt), u2: -along * sin(tilt), u4: along}
    automaton.transition("lands", free, ramp, when=gap <= 0, condition_before=down <= L, reset=stopped, kind="impact")
    return Example("adjustable-fence", system, until=10.0, settings={"script": _learn_the_fence}, automaton=automaton)


def fence(system: System) -> Constraint:
    """The fence as a constraint: the disk touches it, at the point nearest to the disk's centre.

    With C the centre of the arc, d = q4 - L the way along it, and the directions along and across the fence at d,

        (center - C).across + R - r = 0,    (center - C).along = 0.

    >>> [row.name for row in fence(build().system).rows]
    ['fence.contact', 'fence.nearest']
    """
    r, L, R, q4 = (system[name] for name in ("r", "L", "R", "q4"))
    center, slope = system.points["center"], system.frames["ramp"]
    x, y, turned = center.along(-slope.x) - L, center.along(slope.y) - R, (q4 - L) / R
    contact = y * cos(turned) - x * sin(turned) + R - r
    return holonomic("fence", contact=contact, nearest=x * cos(turned) + y * sin(turned))


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
    """Add the fence's mode and transitions to the automaton of the ramp; that may be done while it runs."""
    system: Any = automaton.system
    L, R, Lf, r, q4, u4 = (system[name] for name in ("L", "R", "Lf", "r", "q4", "u4"))
    made, faster, is_known = automaton.mode("fence", [fence(system)]), R / (R - r), system.time >= system["known"]
    automaton.transition(
        "reaches the fence", "ramp", made, when=q4 >= L, condition_before=is_known, reset={u4: faster * u4}
    )
    automaton.transition("back on the ramp", made, "ramp", when=q4 <= L, reset={u4: u4 / faster})
    automaton.transition("fence ends", made, "free", when=q4 >= L + Lf, reset={u4: 0})
    automaton.transition("lifts off the fence", made, "free", when=system.reaction("fence.contact") <= 0, reset={u4: 0})
