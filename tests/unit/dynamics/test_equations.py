"""Equations come out as a textbook prints them, however long they are."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import sympy
from sympy import cos, pi, sin

import detent
from detent.dynamics.equations import Equations
from detent.errors import DetentError, ModelError, UnknownNameError, ValueProblem


def pendulum() -> detent.System:
    system = detent.System("pendulum")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    q = system.coordinates("q")
    system.speeds(u=q.rate)
    rod = system.ground.rotated("rod", q)
    system.particle("bob", system.origin.offset("tip", -length * rod.y), mass=m)
    system.gravity(-g * system.ground.y)
    return system


def double_pendulum() -> detent.System:
    """Two point masses; the second angle is measured from the first rod."""
    system = detent.System("double pendulum")
    m1, m2, l1, l2, g = system.parameters(m1=1, m2=1, l1=1, l2=1, g=9.81)
    q1, q2 = system.coordinates("q1", "q2")
    system.speeds(u1=q1.rate, u2=q2.rate)
    upper = system.ground.rotated("upper", q1)
    lower = upper.rotated("lower", q2)
    elbow = system.origin.offset("elbow", -l1 * upper.y)
    system.particle("first", elbow, m1)
    system.particle("second", elbow.offset("tip", -l2 * lower.y), m2)
    system.gravity(-g * system.ground.y)
    return system


def disk_on_ramp() -> detent.System:
    system = detent.System("disk on a ramp")
    m, J, r, g, tilt = system.parameters(m=1, J=0.5, r=1, g=9.8, tilt=pi / 12)
    q1, q2 = system.coordinates("q1", "q2")
    system.speeds(u1=q1.rate, u2=r * q2.rate)
    ramp = system.ground.rotated("ramp", tilt, about="z")
    hub = system.origin.offset("hub", q1 * ramp.x + r * ramp.y)
    system.body("disk", center=hub, frame=ramp.rotated("disk", q2, about="z"), mass=m, inertia=J)
    system.gravity(-g * system.ground.y)
    return system


def tumbling_body() -> detent.System:
    system = detent.System("tumbling body")
    m, *moments = system.parameters(m=1, J_x=1, J_y=2, J_z=2.5)
    ball = system.ball("b", system.origin, system.ground)
    system.body("body", ball.point, ball.frame, m, moments)
    return system


def heavy_top() -> detent.System:
    """Lagrange's top in Euler angles, A and C its moments about the fixed point less m l^2, and about its axis."""
    system = detent.System("heavy top")
    m, length, g, A, C = system.parameters(m=1, length=1, g=9.81, A=1, C=0.5)
    angles = system.coordinates("phi", "theta", "psi")
    frame = system.ground.euler("top", angles, "zxz")
    system.body("top", system.origin.offset("center", length * frame.z), frame, m, (A, A, C))
    system.gravity(-g * system.ground.z)
    return system


def chain(links: int) -> detent.System:
    system = detent.System("chain")
    m, length, J, g = system.parameters(m=1, length=1, J=0.1, g=9.81)
    at, frame = system.origin, system.ground
    for number in range(1, links + 1):
        frame = system.revolute(f"q{number}", at, frame).frame
        system.body(f"link{number}", at.offset(f"c{number}", length * frame.x / 2), frame, m, J)
        at = at.offset(f"tip{number}", length * frame.x)
    system.gravity(-g * system.ground.y)
    return system


def reads_like(found: Any, textbook: Any) -> bool:
    """Equal, and written with hardly more operations."""
    return sympy.simplify(found - textbook) == 0 and sympy.count_ops(found) <= sympy.count_ops(textbook) + 2


# -- as a textbook prints them --------------------------------------------------------------------


def test_pendulum() -> None:
    system = pendulum()
    equations = system.equations()
    m, length, g, q, u = (system[name] for name in ("m", "length", "g", "q", "u"))
    assert equations.kinematic == {"q": u}
    assert equations.mass_matrix == sympy.Matrix([[m * length**2]])
    assert equations.forcing == sympy.Matrix([[-m * g * length * sin(q)]])
    assert equations.kinetic_energy == m * length**2 * u**2 / 2
    assert equations.potential_energy == -m * g * length * cos(q)


def test_double_pendulum_of_point_masses() -> None:
    system = double_pendulum()
    equations = system.equations()
    m1, m2, l1, l2, g = (system[name] for name in ("m1", "m2", "l1", "l2", "g"))
    q1, q2, u1, u2 = (system[name] for name in ("q1", "q2", "u1", "u2"))
    M, f = equations.mass_matrix, equations.forcing
    assert reads_like(M[0, 0], m1 * l1**2 + m2 * (l1**2 + 2 * l1 * l2 * cos(q2) + l2**2))
    assert reads_like(M[0, 1], m2 * (l2**2 + l1 * l2 * cos(q2)))
    assert reads_like(M[1, 1], m2 * l2**2)
    weight = (m1 + m2) * g * l1 * sin(q1) + m2 * g * l2 * sin(q1 + q2)
    assert reads_like(f[0], m2 * l1 * l2 * sin(q2) * (2 * u1 * u2 + u2**2) - weight)
    assert reads_like(f[1], -m2 * l1 * l2 * sin(q2) * u1**2 - m2 * g * l2 * sin(q1 + q2))
    assert reads_like(equations.active_forces["u1"], -weight)


def test_disk_on_a_ramp() -> None:
    system = disk_on_ramp()
    equations = system.equations()
    m, J, r, g, tilt, u1, u2 = (system[name] for name in ("m", "J", "r", "g", "tilt", "u1", "u2"))
    assert equations.kinematic == {"q1": u1, "q2": u2 / r}
    assert equations.mass_matrix == sympy.diag(m, J / r**2)
    assert equations.active_forces == {"u1": -m * g * sin(tilt), "u2": 0}
    first, second = equations.accelerations
    assert equations.inertia_forces == {"u1": -m * first, "u2": -J * second / r**2}


def test_euler_equations_of_a_tumbling_body() -> None:
    system = tumbling_body()
    equations = system.equations()
    J_x, J_y, J_z, p, q, r = (system[name] for name in ("J_x", "J_y", "J_z", "b_wx", "b_wy", "b_wz"))
    assert equations.mass_matrix == sympy.diag(J_x, J_y, J_z)
    for found, textbook in zip(
        equations.forcing, [(J_y - J_z) * q * r, (J_z - J_x) * r * p, (J_x - J_y) * p * q], strict=True
    ):
        assert reads_like(found, textbook)
    assert equations.coordinates == ()
    w, x, y, z = (system[f"b_q{letter}"] for letter in "wxyz")
    assert sympy.expand(equations.kinematic["b_qw"] + (x * p + y * q + z * r) / 2) == 0
    assert w in equations.kinematic["b_qx"].free_symbols


def test_a_symmetric_top_does_not_depend_on_its_own_turn() -> None:
    system = heavy_top()
    equations = system.equations()
    m, length, g, A, C = (system[name] for name in ("m", "length", "g", "A", "C"))
    theta, psi = system["theta"], system["psi"]
    spin, nutation, precession = (system[f"{name}_rate"] for name in ("psi", "theta", "phi"))
    about = A + m * length**2
    M, f = equations.mass_matrix, equations.forcing
    assert not M.has(psi)
    assert not f.has(psi)
    assert reads_like(M[0, 0], about * sin(theta) ** 2 + C * cos(theta) ** 2)
    assert reads_like(M[0, 2], C * cos(theta))
    turning = precession**2 * (about - C) * cos(theta) - C * spin * precession + m * g * length
    assert reads_like(f[1], turning * sin(theta))
    assert reads_like(f[2], C * nutation * precession * sin(theta))


def test_right_angles_between_frames_are_exact() -> None:
    system = detent.System("rail")
    m, g = system.parameters(m=1, g=9.81)
    x = system.coordinates("x")
    rail = system.ground.rotated("rail", pi / 2).rotated("slope", pi / 2)
    system.particle("bead", system.origin.offset("bead", x * rail.x), m)
    system.gravity(-g * system.ground.x)
    assert system.equations().forcing[0] == g * m


@pytest.mark.parametrize("build", [pendulum, double_pendulum, disk_on_ramp, tumbling_body, heavy_top])
def test_active_and_inertia_forces_balance(build: Any) -> None:
    equations = build().equations()
    column = sympy.Matrix(equations.accelerations)
    residual = equations.forcing - equations.mass_matrix * column
    for r, speed in enumerate(equations.speeds):
        balance = equations.active_forces[speed.name] + equations.inertia_forces[speed.name]
        assert sympy.simplify(balance - residual[r]) == 0


# -- elements ------------------------------------------------------------------------------------


def test_each_element_shows_its_own_part() -> None:
    system = double_pendulum()
    equations = system.equations()
    m1, l1, g, q1 = (system[name] for name in ("m1", "l1", "g", "q1"))
    mass, force = equations.element("first")
    assert mass == sympy.diag(m1 * l1**2, 0)
    assert force == sympy.zeros(2, 1)
    assert sympy.expand(equations.element("gravity")[0]).coeff(m1) == -g * l1 * sin(q1)
    total = sum((equations.element(name)[0] for name in system.bodies), sympy.zeros(2, 2))
    assert sympy.simplify(total - equations.mass_matrix) == sympy.zeros(2, 2)


def test_an_unknown_element_is_reported_with_the_names_that_exist() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no body or load named 'secnd'; did you mean 'second'\?.*first.*gravity"
    ):
        double_pendulum().equations().element("secnd")


def test_a_name_of_both_a_body_and_a_load_is_reported() -> None:
    system = pendulum()
    system.torque("bob", system.frames["rod"], system.ground.z)
    with pytest.raises(DetentError, match="'bob' is both a body and a load; give one of them another name"):
        system.equations().element("bob")


# -- what can be wrong ----------------------------------------------------------------------------


def test_a_limit_that_is_no_number_of_operations_is_reported() -> None:
    with pytest.raises(ValueProblem, match="limit of the equations is 0; give a whole number of operations above 0"):
        Equations(pendulum(), 0)


def test_a_system_without_bodies_is_reported() -> None:
    with pytest.raises(ModelError, match=r"system 'empty': it has no body; add one with system.body or particle"):
        detent.System("empty").equations()


def test_faults_of_the_model_are_reported() -> None:
    system = pendulum()
    system.parameters(sin=1, m=2)
    with pytest.raises(ModelError, match=r"(?s)2 mistakes.*'sin': the name is reserved.*'m': the name is taken"):
        system.equations()


def test_a_potential_that_depends_on_a_speed_is_reported() -> None:
    system = pendulum()
    system.potential("odd", system["u"] ** 2)
    with pytest.raises(ModelError, match="potential 'odd': its energy depends on the speed 'u'"):
        _ = system.equations().forcing


# -- on display ----------------------------------------------------------------------------------


def test_text_of_a_small_system() -> None:
    lines = disk_on_ramp().equations().text().splitlines()
    assert lines[0] == "disk on a ramp: Kane's equations"
    assert "q2' = u2/r" in lines
    assert "  F[u1] = -g*m*sin(tilt)" in lines
    assert "  F*[u2] = -J*u2'/r**2" in lines
    assert "  M[u2, u2] = J/r**2" in lines
    assert not any("M[u1, u2]" in line for line in lines)


def test_latex_of_a_small_system() -> None:
    latex = disk_on_ramp().equations().latex()
    assert latex.startswith("\\begin{aligned}\n\\dot{q}_{1} &= u_{1} \\\\\n")
    assert r"F_{1} &= -g m \sin\left(\mathrm{tilt}\right)" in latex
    assert r"F^{*}_{1} &= -m \dot{u}_{1}" in latex
    assert r"M &= \begin{bmatrix}m & 0 \\ 0 & \frac{J}{r^{2}}\end{bmatrix}" in latex
    assert disk_on_ramp().equations()._repr_latex_() == f"$\\displaystyle {latex}$"


def test_a_speed_that_is_a_rate_by_its_name_is_set_with_dots() -> None:
    equations = chain(2).equations()
    assert "M[q1', q2'] = " in equations.text()
    assert "q1''" in equations.text()
    assert "_rate" not in equations.text() + equations.latex()
    assert r"u &= \left(\dot{q}_{1},\ \dot{q}_{2}\right)" in equations.latex()
    assert r"\ddot{q}_{2}" in equations.latex()


def test_lines_are_divided_at_the_limit() -> None:
    whole, divided = (double_pendulum().equations(limit=limit)._sheet.listing for limit in (200, 12))
    assert len(divided.parts) > len(whole.parts)
    assert any(total.operations > 12 for total in whole.lines)
    assert all(total.operations <= 12 for total in (*divided.parts, *divided.lines))
    names = ["m1", "m2", "l1", "l2", "g", "q1", "q2", "u1", "u2", "u1'", "u2'"]
    at = {name: 0.1 + 0.3 * number for number, name in enumerate(names)}
    assert divided.values(at) == pytest.approx(whole.values(at), rel=1e-12)


def test_a_long_chain_is_whole_and_takes_work_in_proportion_to_its_entries() -> None:
    equations = chain(25).equations()
    text = equations.text()
    assert "..." not in text
    assert all(f"f[q{number}'] = " in text for number in range(1, 26))
    assert len(equations._textbook.graph) < 20_000
    entries = 25 * 26 // 2 + 25
    assert equations._sheet.listing.operations < 100 * entries


def test_show_prints_text_in_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    equations = pendulum().equations()
    equations.show()
    assert capsys.readouterr().out == str(equations) + "\n"


def test_show_sets_latex_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []
    display = SimpleNamespace(Math=lambda text: text, display=seen.append)
    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=None), display=display)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    equations = pendulum().equations()
    equations.show()
    assert seen == [equations.latex()]
    assert capsys.readouterr().out == ""


def test_what_is_added_to_the_system_later_does_not_change_the_equations() -> None:
    system = pendulum()
    equations = system.equations()
    system.spring("late", system["q"], 5)
    assert equations.forcing == sympy.Matrix([[-system["m"] * system["g"] * system["length"] * sin(system["q"])]])


def test_output_does_not_depend_on_hash_order() -> None:
    code = "import detent; print(detent.example('double-pendulum').system.equations().text())"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_equations_of_a_mode_are_told_in_one_line() -> None:
    """What a console shows of them, and a notebook that sets no formulas."""
    shown = repr(detent.equations(detent.example("disk-on-ramp"), "roll"))
    assert shown == "<equations of 'disk on a ramp' with 'ramp', 'rolling': 1 independent speeds>"
