"""A cam and a follower with a flat face: above some speed the follower lifts off and strikes the cam again.

A disk of radius ``R`` turns at ``w`` about a point at the distance ``d`` from its centre, which starts below. Its
follower slides up and down, with a flat face on the disk, pressed by a spring: P + k lift, ``lift`` from its middle. On
the cam lift = -d cos(w t), whatever R is, and without friction the force between them is

    N = P + k lift + m lift'' = P + (m w^2 - k) d cos(w t).

It stays positive all around if w^2 < k/m + P/(m d). Faster, it vanishes where cos(w t) = -P/((m w^2 - k) d), past the
middle of the rise, where the cam slows down more than the spring can slow the follower. From there on the follower
swings freely about lift = -P/k at sqrt(k/m), and comes down on the cam, where it stays (restitution 0) until the next
turn. The thesis names the cam and its follower among the systems that its method is for, without numbers: these are
chosen.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "a cam whose follower lifts off above a certain speed (closed form)"


def build() -> Example:
    """The follower: ``lift`` (m). The cam turns at ``w`` (rad/s); with these values it lifts off above 86.6 rad/s.

    >>> run = build().simulate(until=0.06)
    >>> [event.name for event in run.events if event.kind in ("transition", "impact")]
    ['cam|follower: slip -> open', 'cam|follower: open -> slip']
    """
    system = System("cam and follower")
    m, R, d, k, P, w = system.parameters(m=0.2, R=0.03, d=0.01, k=500, P=10, w=100)
    lift = system.coordinates("lift")
    system.start(lift=-0.01)
    system.units(lift="m", m="kg", R="m", d="m", k="N/m", P="N", w="rad/s")
    cam = system.ground.rotated("cam", w * system.time)
    face = system.origin.offset("face", (R + lift) * system.ground.y)
    follower = system.particle("follower", face, m)
    system.force("spring", face, -(P + k * lift) * system.ground.y)
    system.contact("cam|follower", cam.circle(R, at=(0, -d)), follower.line(along="-x"))
    return Example("cam-follower", system, until=0.19)


def lift_off_speed(m: float, d: float, k: float, P: float) -> float:
    """The speed (rad/s) of the cam above which the follower lifts off.

    >>> round(lift_off_speed(0.2, 0.01, 500.0, 10.0), 9)
    86.602540378
    """
    return math.sqrt(k / m + P / (m * d))


def lifts_off_at(m: float, d: float, k: float, P: float, w: float) -> float:
    """When (s) a follower that starts at its lowest first lifts off, for a speed above that of lift-off.

    >>> round(100 * lifts_off_at(0.2, 0.01, 500.0, 10.0, 100.0), 12)  # cos(w t) = -2/3
    2.300523983022
    """
    return math.acos(-P / ((m * w**2 - k) * d)) / w


def height_above_the_cam(time: float, m: float, d: float, k: float, P: float, w: float) -> float:
    """How far (m) the follower that lifted off is above the cam at a time (s) after its start, before it lands.

    >>> height_above_the_cam(lifts_off_at(0.2, 0.01, 500.0, 10.0, 100.0), 0.2, 0.01, 500.0, 10.0, 100.0)
    0.0
    """
    began, rate = lifts_off_at(m, d, k, P, w), math.sqrt(k / m)
    lift, speed = -d * math.cos(w * began) + P / k, d * w * math.sin(w * began)
    passed = rate * (time - began)
    return lift * math.cos(passed) + speed / rate * math.sin(passed) - P / k + d * math.cos(w * time)


def lands_at(m: float, d: float, k: float, P: float, w: float) -> float:
    """When (s) the follower that first lifted off lands: a root of its height, which first grows.

    >>> values = (0.2, 0.01, 500.0, 10.0, 100.0)
    >>> abs(height_above_the_cam(lands_at(*values), *values)) < 1e-16
    True
    """
    began, step = lifts_off_at(m, d, k, P, w), 1e-3 / w
    late = began + step
    while height_above_the_cam(late, m, d, k, P, w) > 0:
        late += step
    early = late - step
    for _ in range(60):
        middle = (early + late) / 2
        early, late = (middle, late) if height_above_the_cam(middle, m, d, k, P, w) > 0 else (early, middle)
    return late
