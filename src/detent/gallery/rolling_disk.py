"""A disk that rolls on a level floor without slipping: the classic of nonholonomic mechanics.

The point of contact is at (x, y) on the floor; ``yaw`` is the heading, ``lean`` the tilt of the disk about it
(positive to the right), ``spin`` the rotation about the disk's own axle. That the disk touches the floor is
built into its geometry; that it does not slip there is the constraint ``rolling``, two conditions on the speeds
that no condition on the configuration can replace. By default a thin disk of mass 1 kg and radius 0.5 m with
axial moment m r^2/2 and diametral moment m r^2/4 (``axial`` and ``diametral`` are these factors; 1 and 1/2 make
a hoop).

Rolling straight ahead at speed v the lean grows or swings as exp(rate t), see :func:`growth`: the upright disk
is stable if v^2 > g r/3, the hoop if v^2 > g r/4. With a constant lean the disk goes round in a circle, see
:func:`circling` (Neimark and Fufaev, Dynamics of Nonholonomic Systems; Goldstein). The energy stays: rolling
does no work.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.constraint import rolling
from detent.model.system import System

TITLE = "a disk that rolls on a floor in space, stable when fast (nonholonomic)"


def build() -> Example:
    """The disk; the angles and their rates are start enough, ``x_rate`` and ``y_rate`` follow from them.

    >>> run = build().simulate(until=1)
    >>> run.mode, round(run.start["x_rate"], 12)
    ('rolling', 3.0)
    """
    system = System("rolling disk")
    m, r, axial, diametral, g = system.parameters(m=1, r=0.5, axial=0.5, diametral=0.25, g=9.81)
    x, y, yaw, lean, spin = system.coordinates("x", "y", "yaw", "lean", "spin")
    system.units(x="m", y="m", yaw="rad", lean="rad", spin="rad", m="kg", r="m", g="m/s^2")
    ground = system.ground
    heading = ground.rotated("heading", yaw, about="z")
    leaning = heading.rotated("leaning", lean, about="x")
    contact = system.origin.offset("contact", x * ground.x + y * ground.y)
    hub = contact.offset("hub", r * leaning.z)
    across, along = diametral * m * r**2, axial * m * r**2
    disk = system.body("disk", hub, leaning.rotated("disk", spin, about="y"), m, (across, along, across))
    system.constrain(rolling("rolling", contact, disk, along="xy"))
    system.start(lean=0.1, spin_rate=6)
    system.gravity(-g * ground.z)
    return Example("rolling-disk", system, until=10.0)


def growth(v: float, r: float, axial: float, diametral: float, g: float) -> float:
    """The square of the rate (1/s^2) at which a small lean grows (or, negative, swings) in rolling straight ahead.

    With J = diametral m r^2 the yaw follows the lean, yaw' = -(axial/diametral) v/r lean, and

        lean'' = (g/r - (axial + 1) (axial/diametral) v^2/r^2)/(diametral + 1) lean.

    >>> abs(growth((9.81 * 0.5 / 3)**0.5, 0.5, 0.5, 0.25, 9.81)) < 1e-12
    True
    """
    return (g / r - (axial + 1) * axial / diametral * (v / r) ** 2) / (diametral + 1)


def circling(lean: float, yaw_rate: float, r: float, axial: float, diametral: float, g: float) -> float:
    """The rate of ``spin`` (rad/s) with which the disk goes round steadily at a lean and a rate of its heading.

    With w the angular velocity about the axle, the moments about the contact give

        (axial + 1) w yaw' cos(lean) = diametral yaw'^2 sin(lean) cos(lean) - g/r sin(lean),

    and spin' = w - yaw' sin(lean). The contact runs on a circle of radius r |spin'/yaw'|.

    >>> circling(0.3, -2.0, 0.5, 0.5, 0.25, 9.81) > 0
    True
    """
    push = diametral * yaw_rate**2 * math.cos(lean) - g / r
    return push * math.tan(lean) / ((axial + 1) * yaw_rate) - yaw_rate * math.sin(lean)
