"""A walker whose knees lock and bend, and whose feet come and go (Wang et al., section 3.2).

An and Chen's knee-bend walker (International Journal of Advanced Robotic Systems 10, 365, 2013) goes down a steep slope
with no motor. As in the seed, hip and legs float: the hip has two coordinates, each leg two absolute angles, and a
standing foot or a straight knee is a constraint that is there for a while. So no coordinate jumps at a step. Each leg
in turn carries the walker through three phases:

    swing knee free      stance foot on the ground, stance knee straight; until the swing knee is straight, and locks;
    knees locked         until the stance leg has turned by ``bend`` since the knee locked, and its knee is let go;
    stance knee free     until the swing foot meets the ground: the old foot goes, the new one stays, its knee straight.

Knee lock and heel strike are plastic impacts, M (u+ - u-) = B^T P with B u+ = 0, which needs (B M^-1 B^T)^-1: the
seed's equations (12) and (19) leave the inverse out. Masses are points. What the model overlooks, as the original does:
the swing foot passes up to 20 mm below the ground, the ground holds the foot down (by 0.17 N s) when the knee locks,
and after a heel strike the old stance foot goes on down at 0.05 m/s before it rises.

Reference, from the angles (0.4309, 0.5608, -0.2439) of stance leg, swing thigh and swing shank with the rates
(-0.1391, -0.0139, 0.6033) sqrt(g): knee lock at 0.116807179, bend at 0.295974187, heel strike at 0.608194170 s. The
start here is on the limit cycle, whose period is 0.61048535108 s and whose largest multiplier has the modulus 0.9592.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.impact import Impact
from detent.model.constraint import Constraint, holonomic
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.system import System

TITLE = "a walker whose knees lock and bend and whose feet come and go, on its limit cycle"

LIMIT_CYCLE = {
    "left_thigh": 0.43020968776, "right_thigh": 0.56015612705, "right_shank": -0.2431497007,
    "left_thigh_rate": -0.4312375183, "right_thigh_rate": -0.0272718748, "right_shank_rate": 1.8791213773,
}  # fmt: skip
"""Just after a heel strike with the left foot, to the digits of the reference."""


@dataclass(frozen=True)
class Leg:
    """One leg: its thigh's angle, the place of its foot, and the constraints that hold foot and knee."""

    name: str
    thigh: Any
    foot: Point
    """The end of the shank."""
    stands: Constraint
    straight: Constraint
    flexion: Any
    """How far the shank lags behind the thigh; zero where the knee is straight."""


def build() -> Example:
    """The walker: ``x`` and ``y`` of the hip along and across the slope, and the angles of the legs.

    ``left_thigh``, ``left_shank``, ``right_thigh`` and ``right_shank`` are measured from the normal of the slope,
    positive where the foot is downhill of the hip; the speeds are their rates, ``left_thigh_rate`` and so on. The left
    leg stands first, at ``foot`` (m along the slope); the place of the hip and the angle of the left shank follow from
    that. ``lock`` is the angle of the stance leg when the swing knee locked.

    >>> run = build().simulate(until=1)
    >>> [(event.name, round(event.time, 6)) for event in run.events]
    [('right knee locks', 0.117001), ('left knee bends', 0.297813), ('right heel strikes', 0.610485),
     ('left knee locks', 0.727486), ('right knee bends', 0.908299)]
    """
    system = System("kneed walker")
    m_hip, g, slope = system.parameters(m_hip=56, g=9.81, slope=0.35)
    system.parameters(m_thigh=10, m_shank=5, c_thigh=0.2, c_shank=0.28, l_thigh=0.5, l_shank=0.5, bend=0.063)
    foot = system.discrete("foot", 0)
    system.discrete("lock", 0)
    x, y = system.coordinates("x", "y")
    system.units(
        x="m", y="m", foot="m", lock="rad", slope="rad", bend="rad", g="m/s^2", m_hip="kg", m_thigh="kg", m_shank="kg",
        c_thigh="m", c_shank="m", l_thigh="m", l_shank="m",
    )  # fmt: skip
    ramp = system.ground.rotated("ramp", -slope)
    hip = system.origin.offset("hip", x * ramp.x + y * ramp.y)
    system.particle("hip", hip, m_hip)
    left, right = (_leg(system, name, hip, ramp, foot) for name in ("left", "right"))
    system.gravity(-g * system.ground.y)
    system.start(**LIMIT_CYCLE)
    return Example("kneed-walker", system, until=10.0, automaton=_automaton(system, left, right, ramp))


def _leg(system: System, name: str, hip: Point, ramp: Frame, foot: Any) -> Leg:
    """Hang a leg from the hip."""
    m_thigh, m_shank, c_thigh, c_shank, l_thigh, l_shank = (
        system[parameter] for parameter in ("m_thigh", "m_shank", "c_thigh", "c_shank", "l_thigh", "l_shank")
    )
    thigh, shank = system.coordinates(f"{name}_thigh", f"{name}_shank")
    system.units(**{f"{name}_thigh": "rad", f"{name}_shank": "rad"})
    upper, lower = ramp.rotated(f"{name} thigh", thigh), ramp.rotated(f"{name} shank", shank)
    knee = hip.offset(f"{name} knee", -l_thigh * upper.y)
    end = knee.offset(f"{name} foot", -l_shank * lower.y)
    system.particle(f"{name} thigh", hip.offset(f"{name} thigh center", -c_thigh * upper.y), m_thigh)
    system.particle(f"{name} shank", knee.offset(f"{name} shank center", -c_shank * lower.y), m_shank)
    stands = holonomic(f"{name} foot", x=end.along(ramp.x) - foot, y=end.along(ramp.y))
    straight = holonomic(f"{name} knee", shank - thigh)
    for constraint in (stands, straight):
        system.constrain(constraint, active=False)
    return Leg(name, thigh, end, stands, straight, flexion=thigh - shank)


def _automaton(system: System, left: Leg, right: Leg, ramp: Frame) -> Automaton:
    """Three phases of each leg; a heel strike leads from the third of one to the first of the other."""
    automaton = Automaton(system)
    for stance, swing in ((left, right), (right, left)):
        standing = f"{stance.name} stance"
        automaton.mode(f"{standing}, swing knee free", [stance.stands, stance.straight])
        automaton.mode(f"{standing}, knees locked", [stance.stands, stance.straight, swing.straight])
        automaton.mode(f"{standing}, stance knee free", [stance.stands, swing.straight])
    for stance, swing in ((left, right), (right, left)):
        _steps(automaton, stance, swing, ramp)
    return automaton


def _steps(automaton: Automaton, stance: Leg, swing: Leg, ramp: Frame) -> None:
    """The three events of a step."""
    foot, lock, bend = (automaton.system[name] for name in ("foot", "lock", "bend"))
    standing = f"{stance.name} stance"
    automaton.transition(
        f"{swing.name} knee locks", f"{standing}, swing knee free", f"{standing}, knees locked",
        when=swing.flexion <= 0, reset=[{lock: stance.thigh}, Impact()],
    )  # fmt: skip
    automaton.transition(
        f"{stance.name} knee bends", f"{standing}, knees locked", f"{standing}, stance knee free",
        when=stance.thigh <= lock - bend,
    )  # fmt: skip
    automaton.transition(
        f"{swing.name} heel strikes", f"{standing}, stance knee free", f"{swing.name} stance, swing knee free",
        when=swing.foot.along(ramp.y) <= 0, reset=[{foot: swing.foot.along(ramp.x)}, Impact()],
    )  # fmt: skip
