"""Andrews' squeezing mechanism: seven bodies, three loops, in three hundredths of a second (IFToMM A03).

Described by Giles (1978) and Manning (1981), put forward as a test by Andrews and Ormrod (1986), used by Schiehlen
(Multibody Systems Handbook, 1990) and by Hairer and Wanner (Solving Ordinary Differential Equations II, section
VII.7), and part of the Bari test set for initial value problem solvers, whose data and letters are used here (its
e is written ee); lengths in m, masses in kg. A motor with the constant ``torque`` drives the short crank K1 at the
origin; K2 joins its pin to the point P, where K3 (which turns about B and carries a spring to C), K4 (on K5, which
turns about A) and K6 (on K7, also about A) end as well. The crank goes round within milliseconds, so the problem
is a hard one for programs that expect smooth slow motion.

Reference at t = 0.03 s, given by the test set to 16 digits, for (beta, theta, gamma, phi, delta, omega, epsilon):
(15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
0.5347301163226948, 1.048080741042263). Two independent solutions of the equations, this one and one with multipliers,
agree with each other to 1e-12 and differ from the published digits by 1.1e-9 in beta, 1.4e-9 in theta and less
than 3e-11 in the others, so that is how far the published ones can be trusted.
"""

from __future__ import annotations

from detent.gallery.example import Example
from detent.model.constraint import joined
from detent.model.system import System

TITLE = "Andrews' squeezing mechanism: seven bodies, three loops (IFToMM A03)"

MASSES = {1: 0.04325, 2: 0.00365, 3: 0.02373, 4: 0.00706, 5: 0.07050, 6: 0.00706, 7: 0.05498}
MOMENTS = {1: 2.194e-6, 2: 4.410e-7, 3: 5.255e-6, 4: 5.667e-7, 5: 1.169e-5, 6: 5.667e-7, 7: 1.912e-5}
START = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}


def build() -> Example:
    """The mechanism, at rest; the constraints ``P3``, ``P4`` and ``P6`` join the ends of K3, K4 and K6 to that of K2.

    Angles from x: ``beta`` of K1, ``gamma`` of K3, ``delta`` of K5, ``epsilon`` of K7; from the body that carries
    it: ``theta`` of K2, ``phi`` of K4, ``omega`` of K6.

    >>> run = build().simulate(until=0.01)
    >>> run.mode, bool(run.beta[-1] > run.beta[0])
    ('P3 + P4 + P6', True)
    """
    system = System("Andrews' squeezer")
    beta, theta, gamma, phi, delta, omega, epsilon = system.coordinates(*START)
    system.start(**START)
    xa, ya, xb, yb, xc, yc = system.parameters(xa=-0.06934, ya=-0.00227, xb=-0.03635, yb=0.03273, xc=0.014, yc=0.072)
    rr, ra, d, da = system.parameters(rr=0.007, ra=0.00092, d=0.028, da=0.0115)
    ss, sa, sb, sc, sd = system.parameters(ss=0.035, sa=0.01874, sb=0.01043, sc=0.018, sd=0.02)
    ee, ea, zf, fa = system.parameters(ee=0.02, ea=0.01421, zf=0.02, fa=0.01421)
    zt, ta, tb, u, ua, ub = system.parameters(zt=0.04, ta=0.02308, tb=0.00916, u=0.04, ua=0.01228, ub=0.00449)
    torque, stiffness, rest = system.parameters(torque=0.033, stiffness=4530, rest=0.07785)
    masses = dict(zip(MASSES, system.parameters(**{f"m{n}": value for n, value in MASSES.items()}), strict=True))
    moments = dict(zip(MOMENTS, system.parameters(**{f"J{n}": value for n, value in MOMENTS.items()}), strict=True))
    system.units(**{length.name: "m" for length in system.parameter_values})  # but for these:
    system.units(**{f"m{n}": "kg" for n in MASSES}, **{f"J{n}": "kg m^2" for n in MOMENTS})
    system.units(torque="N m", stiffness="N/m", **dict.fromkeys(START, "rad"))

    ground, origin = system.ground, system.origin
    A, B = origin.offset("A", xa * ground.x + ya * ground.y), origin.offset("B", xb * ground.x + yb * ground.y)
    K1, K3 = ground.rotated("K1", beta), ground.rotated("K3", gamma)
    K5, K7 = ground.rotated("K5", delta), ground.rotated("K7", epsilon)
    K2, K4, K6 = K1.rotated("K2", theta), K5.rotated("K4", phi), K7.rotated("K6", omega)
    pin = origin.offset("pin", rr * K1.x)
    far5, far7 = A.offset("far5", zt * K5.x), A.offset("far7", -u * K7.y)
    centers = {
        1: (origin, ra * K1.x), 2: (pin, -da * K2.x), 3: (B, sb * K3.x - sa * K3.y), 4: (far5, (ea - ee) * K4.y),
        5: (A, ta * K5.x + tb * K5.y), 6: (far7, (zf - fa) * K6.x), 7: (A, -ub * K7.x - ua * K7.y),
    }  # fmt: skip
    for (number, (place, displacement)), frame in zip(centers.items(), (K1, K2, K3, K4, K5, K6, K7), strict=True):
        center = place.offset(f"center{number}", displacement)
        system.body(f"K{number}", center, frame, masses[number], moments[number])

    P = pin.offset("P", -d * K2.x)
    system.constrain(joined("P3", B.offset("end3", -ss * K3.y), P, along="xy"))
    system.constrain(joined("P4", far5.offset("end4", -ee * K4.y), P, along="xy"))
    system.constrain(joined("P6", far7.offset("end6", zf * K6.x), P, along="xy"))
    system.torque("motor", K1, torque * ground.z)
    D, C = B.offset("D", sd * K3.x - sc * K3.y), origin.offset("C", xc * ground.x + yc * ground.y)
    system.spring("spring", (D, C), stiffness=stiffness, rest=rest)
    return Example("andrews-squeezer", system, until=0.03)
