"""A sprung lever that is caught, held, and torn out of its catch again.

A uniform lever turns in a level plane about one of its ends; a torsion spring draws it towards the angle zero. It
starts drawn back and at rest, swings through, and at the angle ``catch`` a catch takes hold of it: a plastic impact
that costs all its kinetic energy. The catch then holds it against the spring and against whoever wants it back: a
torque that grows steadily as ``rise`` t, and the input ``pull``, both towards smaller angles. It bears ``grip``: as
soon as holding asks for more the lever is free again, and it is caught again whenever it comes by.

With J = m length^2/3 and w^2 = k/J the swing from rest at the angle A, while nobody switches ``pull`` on, is

    angle = A cos(w t) + rise/(k w) sin(w t) - rise t/k;

with ``rise=0`` the lever is caught at acos(catch/A)/w. The catch holds with the torque k catch + rise t + pull and
gives way when that reaches ``grip``. All values are chosen here.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.impact import Impact
from detent.model.constraint import holonomic
from detent.model.system import System

TITLE = "a sprung lever that is caught, held, and released when its catch gives way"


def build() -> Example:
    """The lever at ``angle`` (rad) with ``rate`` (rad/s); modes ``swing`` and ``held``, the constraint ``catch``.

    ``m`` (kg) and ``length`` (m) are the lever's, ``k`` (N m/rad) the spring's, ``catch`` (rad) says where it is caught
    and ``grip`` (N m) how much the catch bears; ``rise`` is in N m/s, the input ``pull`` in N m.

    >>> run = build().simulate()
    >>> [(event.name, event.target) for event in run.events if event.kind in ("impact", "transition")]
    [('caught', 'held'), ('released', 'swing')]
    >>> round(run.events.named("released")[0].time, 9)
    2.0
    """
    system = System("latch")
    m, length, k, catch, grip = system.parameters(m=0.2, length=0.15, k=0.06, catch=0.5, grip=0.05)
    rise = system.parameters(rise=0.01)
    angle = system.coordinates("angle")
    system.speeds(rate=angle.rate)
    system.start(angle=-1, rate=0)
    system.units(angle="rad", pull="N m", m="kg", length="m", k="N m", catch="rad", grip="N m", rise="N m/s")
    pull = rise * system.time + system.input("pull", 0)
    lever = system.ground.rotated("lever", angle)
    center = system.origin.offset("center", length / 2 * lever.x)
    system.body("lever", center, lever, m, m * length**2 / 12)
    system.spring("spring", angle, k)
    system.torque("pull", lever, -pull * system.ground.z)
    hold = system.constrain(holonomic("catch", angle - catch), active=False)
    automaton = Automaton(system)
    swing = automaton.mode("swing", where=angle <= catch)
    held = automaton.mode("held", constraints=[hold])
    automaton.transition("caught", swing, held, when=angle >= catch, reset=Impact())
    automaton.transition("released", held, swing, when=system.reaction("catch") >= grip)
    return Example("latch", system, until=3.0, automaton=automaton)


def frequency(m: float, length: float, k: float) -> float:
    """The circular frequency w (rad/s) of the lever on its spring.

    >>> round(frequency(0.2, 0.15, 0.06) ** 2, 12)
    40.0
    """
    return math.sqrt(k / (m * length**2 / 3))


def swing_angle(time: float, first: float, rise: float, m: float, length: float, k: float) -> float:
    """The angle (rad) of the lever that swings from rest at the angle ``first`` while it is pulled back with rise t.

    >>> swing_angle(0.0, -1.0, 0.01, 0.2, 0.15, 0.06)
    -1.0
    """
    w = frequency(m, length, k)
    return first * math.cos(w * time) + rise / (k * w) * math.sin(w * time) - rise * time / k


def catch_time(first: float, catch: float, m: float, length: float, k: float) -> float:
    """When the lever that swings from rest at the angle ``first`` is caught (s), with ``rise=0``.

    >>> round(catch_time(-1.0, 0.5, 0.2, 0.15, 0.06), 12)
    0.331152942193
    """
    return math.acos(catch / first) / frequency(m, length, k)
