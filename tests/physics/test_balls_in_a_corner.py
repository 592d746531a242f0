"""Balls in a corner of three planes, with much friction: where a slip ends they go on, whatever is behind its end."""

from __future__ import annotations

from typing import Any

import pytest

import detent

MU = 0.8452868698564056
PLANES = [
    (0.027293839954195875, 0.05970093109518548, 0.8574333683945783),
    (-0.039314035172930584, 0.3195311093742579, -0.24280749043436584),
    (0.026621761511740644, -0.29616515726481385, -0.17799953125903475),
]
"""Each is turned about z, y and x."""
BALLS = [
    (
        0.17705095963671602,
        1.6503619052162959,
        (0.021309275913681106, 0.00011769143263246074, 0.27223520814322283),
        (0.6855155409627237, -0.0859467060138354, -0.6493444591351981, 0.31785748412515463),
        (-0.04481596935347784, -0.8295417971061871, 0.735328693922285),
        (4.110180200448082, 0.660684182565922, -3.4899779150897468),
    ),
    (
        0.220500848204281,
        0.5111931639841747,
        (-0.07164884922396166, 0.0053825030043616745, 0.6897870159842199),
        (0.2741214890874506, 0.34484181789270985, 0.8975676289715058, 0.01771669482153017),
        (-0.3699214644377193, 0.2441084843346781, -0.10917373096778664),
        (2.2807104641649, -1.3404414455915437, -3.752685490677066),
    ),
    (
        0.27510954352545225,
        2.782011862608434,
        (-0.00526038851317262, 0.0026300769298626264, 1.205397407713953),
        (-0.619202788530791, -0.3423839315262953, 0.3398996165452711, -0.6195396684480077),
        (0.22886522454210773, -0.14968503713930734, 0.17013739792473329),
        (-2.462962616434946, 2.3046796017345557, -1.488489813115877),
    ),
]
"""Radius, mass, place, quaternion, velocity, and angular velocity along its own axes."""
STATES = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")


def corner() -> detent.System:
    """All numbers are parameters."""
    system = detent.System("corner")

    def given(**values: float) -> Any:
        return system.parameters(**values)

    bodies = []
    for i, (radius, mass, *state) in enumerate(BALLS):
        joint = system.free(f"b{i}", system.origin, system.ground)
        m, inertia = given(**{f"m{i}": mass}), [given(**{f"J{i}{axis}": 0.4 * mass * radius**2}) for axis in "xyz"]
        body = system.body(f"b{i}", joint.point, joint.frame, m, tuple(inertia))
        bodies.append((body, given(**{f"r{i}": radius})))
        values = [value for each in state for value in each]
        system.start(**{f"b{i}_{name}": value for name, value in zip(STATES, values, strict=True)})
    gx, gy, gz = (given(**{f"g{axis}": value}) for axis, value in zip("xyz", (0.0, 0.0, -9.81), strict=True))
    system.gravity(gx * system.ground.x + gy * system.ground.y + gz * system.ground.z)
    friction, planes = detent.Coulomb(given(mu=MU)), []
    for i, angles in enumerate(PLANES):
        frame = system.ground
        for axis, angle in zip("zyx", angles, strict=True):
            frame = frame.rotated(f"w{i}{axis}", given(**{f"w{i}_{axis}": angle}), about=axis)
        x, y, z = (given(**{f"w{i}_at_{axis}": 0.0}) for axis in "xyz")
        place = x * system.ground.x + y * system.ground.y + z * system.ground.z
        planes.append(frame.plane(at=system.origin.offset(f"w{i}", place)))
    for i, (body, radius) in enumerate(bodies):
        for wall, plane in enumerate(planes):
            system.contact(f"b{i}|w{wall}", body.sphere(radius), plane, friction=friction)
        for j, (other, theirs) in enumerate(bodies[:i]):
            system.contact(f"b{j}|b{i}", other.sphere(theirs), body.sphere(radius), friction=friction)
    return system


@pytest.mark.parametrize("rtol", [1e-8, 3e-9, 1e-9, 1e-10])
def test_a_slip_ends_though_friction_along_other_directions_would_leave_no_acceleration(rtol: float) -> None:
    """A step may go past the end of a slip, where it points anywhere: what has no value there is no paradox."""
    run = detent.simulate(corner(), until=0.38, rtol=rtol)
    last = run.events[-1]
    assert last.name == "b1|w0: slip -> roll"
    assert last.time == pytest.approx(0.363284424, abs=30 * rtol)
