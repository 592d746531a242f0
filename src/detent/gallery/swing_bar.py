"""The swing bar of Wang et al. (ANDY, section 3.1, Table 2): three bars in space, a hinge and a ball joint.

Bar 1 is horizontal and turns about the vertical z by ``q1``, along x of its frame. A ball joint at its tip
carries bar 2, along -z of the joint's frame; bar 3 is fixed to the end of bar 2, along +x of that frame.
The paper gives lengths, masses, damping b, the torque T about z on bar 1 and the start in Table 2,
and leaves to its figures the rest, which was read so: the bars are thin rods; the damping -b v acts at each mass
centre; the ball joint's quaternion is that of bar 2 against bar 1, with no turning against it at the start.
Table 2 has T = 2 (in N, meant is N m), which ``torque`` is by default; the authors' own script has 1.

There is no closed form. Computed independently of this program, for T = 2: at t = 1 s q1 = -1.345807662062
and the quaternion is (0.108194169948, -0.470031454420, 0.548374679365, 0.683117606621), at t = 2 s
q1 = -1.946482181717; for T = 1 at t = 5 s: q1 = -1.121234465148, quaternion (-0.866089711797,
0.337712247365, 0.208130848786, -0.304171988983). With T = 2 the motion is sensitive after t = 10 s.
"""

from __future__ import annotations

from sympy import sqrt

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "three bars in space with a ball joint, driven and damped (Wang et al., Table 2)"


def build() -> Example:
    """The swing bar: ``q1`` with its rate ``u1``, and the ball joint ``joint`` with its quaternion and speeds.

    >>> run = build().simulate(until=1)
    >>> round(run.final.q1, 6)
    -1.345808
    """
    system = System("swing bar")
    l1, l2, l3 = system.parameters(l1=1, l2=1, l3=0.5)
    m1, m2, m3 = system.parameters(m1=1, m2=1, m3=0.5)
    g, b, torque = system.parameters(g=9.81, b=0.2, torque=2)
    q1 = system.coordinates("q1")
    system.speeds(u1=q1.rate)
    system.units(q1="rad", l1="m", l2="m", l3="m", m1="kg", m2="kg", m3="kg", g="m/s^2", b="N s/m", torque="N m")

    arm = system.ground.rotated("arm", q1, about="z")
    tip = system.origin.offset("tip", l1 * arm.x)
    joint = system.ball("joint", tip, arm)
    swing = joint.frame
    end = tip.offset("end", -l2 * swing.z)
    first, second, third = m1 * l1**2 / 12, m2 * l2**2 / 12, m3 * l3**2 / 12
    bars = [
        system.body("bar1", system.origin.offset("center1", l1 / 2 * arm.x), arm, m1, (0, first, first)),
        system.body("bar2", tip.offset("center2", -l2 / 2 * swing.z), swing, m2, (second, second, 0)),
        system.body("bar3", end.offset("center3", l3 / 2 * swing.x), swing, m3, (0, third, third)),
    ]
    system.start(u1=-5, joint_qw=sqrt(2) / 2, joint_qy=sqrt(2) / 2)

    system.gravity(-g * system.ground.z)
    system.torque("drive", on=arm, vector=torque * system.ground.z)
    for bar in bars:
        system.damper(f"{bar.name}_damper", on=bar, coefficient=b)
    return Example("swing-bar", system, until=10.0)
