"""A rigid body that drifts and tumbles with no force on it.

It turns almost about the axis of its middle moment of inertia, which is unstable: at regular intervals the
body flips over (Poinsot's motion, known as the tennis racket or Dzhanibekov effect). Moments 1, 2 and
3 kg m^2 and the start are chosen here. Energy, momentum and the angular momentum vector stay; the
angular velocity along the body's axes has a closed form, see :func:`body_rates`.
"""

from __future__ import annotations

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "a free rigid body turning about its middle axis: it flips over (energy and momentum conserved)"


def build() -> Example:
    """The body: centre ``body_x .. body_z``, quaternion ``body_qw .. body_qz``.

    The rates ``body_x_rate .. body_z_rate`` are along the ground's axes, the angular velocity
    ``body_wx .. body_wz`` is along the body's own.

    >>> run = build().simulate(until=30)
    >>> bool(run.body_wy.min() < -1.9 and run.body_wy.max() > 1.9)
    True
    """
    system = System("tumbling body")
    m, Jx, Jy, Jz = system.parameters(m=1, Jx=1, Jy=2, Jz=3)
    joint = system.free("body", system.origin, system.ground)
    system.body("body", joint.point, joint.frame, mass=m, inertia=(Jx, Jy, Jz))
    system.start(body_x_rate=0.1, body_z_rate=0.05, body_wx=0.01, body_wy=2, body_wz=0.01)
    system.units(m="kg", Jx="kg m^2", Jy="kg m^2", Jz="kg m^2")
    return Example("tumbling-body", system, until=30.0)


def body_rates(
    time: float, moments: tuple[float, float, float], start: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The angular velocity (rad/s) along the principal axes at a time, from that at t = 0.

    ``moments`` (kg m^2) must increase. With 2E and L^2 from the start, and L^2 > 2E J2 (Landau and Lifshitz,
    Mechanics, section 37),

        w1 = a1 cn,   w2 = a2 sn,   w3 = a3 dn   of n (t - t0), in Jacobi's elliptic functions;

    for L^2 < 2E J2 the first and third axis change places.

    >>> [round(rate, 12) for rate in body_rates(0.0, (1.0, 2.0, 3.0), (0.5, 1.0, -2.0))]
    [0.5, 1.0, -2.0]
    """
    from mpmath import atan2, ellipf, ellipfun, mpf, sign, sqrt, workdps

    with workdps(30):  # near the middle axis the motion multiplies every rounding of these constants
        energy = sum(J * mpf(w) ** 2 for J, w in zip(moments, start, strict=True))
        momentum = sum((J * mpf(w)) ** 2 for J, w in zip(moments, start, strict=True))
        order = 1 if momentum > energy * moments[1] else -1
        (J1, J2, J3), (w1, w2, w3) = moments[::order], start[::order]
        side = sign(w3)  # two signs may be turned at once in Euler's equations, so w3 is made positive
        above, below = energy * J3 - momentum, momentum - energy * J1
        a1, a2 = sqrt(above / (J1 * (J3 - J1))), sqrt(above / (J2 * (J3 - J2)))
        a3 = sqrt(below / (J3 * (J3 - J1)))
        m = (J2 - J1) * above / ((J3 - J2) * below)
        n = sqrt((J3 - J2) * below / (J1 * J2 * J3))
        u = n * mpf(time) + ellipf(atan2(side * w2 / a2, w1 / a1), m)
        cn, sn, dn = (ellipfun(kind, u, m=m) for kind in ("cn", "sn", "dn"))
        x, y, z = (a1 * cn, side * a2 * sn, side * a3 * dn)[::order]
        return float(x), float(y), float(z)
