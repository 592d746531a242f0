"""Values along a run agree with mechanics written down by hand, with other programs, and with what the run keeps."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy.physics import mechanics

import detent
from detent.formulation.compiled import compile_system
from detent.hybrid.automaton import system_of
from detent.model.contact import SHARING
from detent.simulation.between_nodes import BetweenNodes
from detent.simulation.instants import Instants

EPS = float(np.finfo(float).eps)
AXES = "xyz"


@pytest.fixture(scope="module")
def pendulum() -> detent.Run:
    return detent.example("double-pendulum").simulate(until=2, rtol=1e-12)


def between(run: detent.Run, count: int = 200) -> np.ndarray:
    """Times of which next to none is that of a node."""
    return np.linspace(run.t[0], run.t[-1], count)


# -- energy, position, velocity, acceleration ---------------------------------------------------


def test_the_energy_written_down_is_the_energy_of_the_run(pendulum: detent.Run) -> None:
    system = pendulum.model
    first, second = system.bodies["first"], system.bodies["second"]
    kinetic = sum(body.mass * body.center.velocity().dot(body.center.velocity()) / 2 for body in (first, second))
    height = system.ground.y
    potential = sum(body.mass * system["g"] * body.center.along(height) for body in (first, second))
    # Sums of a handful of products of at most 80 J.
    scale = pendulum.audit.energy_scale
    for times in (None, between(pendulum)):
        written = pendulum.value(kinetic + potential, times)
        assert np.abs(written - pendulum.value("energy", times)).max() <= 100 * EPS * scale
    np.testing.assert_array_equal(pendulum.value("energy"), pendulum.energy)
    assert np.abs(pendulum.value(kinetic) - pendulum.kinetic).max() <= 100 * EPS * scale


def difference(course: Any, times: np.ndarray, step: float) -> np.ndarray:
    """The derivative of fourth order: its error is step^4/30 of the fifth derivative."""
    one, two = (course(times + k * step) - course(times - k * step) for k in (1, 2))
    return np.asarray((8 * one - two) / (12 * step))


@pytest.mark.parametrize("point", ["elbow", "tip"])
def test_velocity_and_acceleration_are_the_rates_of_position_and_velocity(pendulum: detent.Run, point: str) -> None:
    place, times, step = pendulum.model.points[point], np.linspace(0.1, 1.9, 97), 2e-3
    velocity = difference(lambda t: pendulum.value(place.position(), t), times, step)
    acceleration = difference(lambda t: pendulum.value(place.velocity(), t), times, step)
    # The angles change at up to 15 rad/s, so a fifth derivative is below 2 m * 15^5 /s^5, or 15^6 of the velocity: the
    # formula is wrong by 1e-6 or 1e-5 at most. The interpolant of a run at 1e-12 is exact to 1e-9, over a step of 2e-3.
    assert np.abs(pendulum.value(place.velocity(), times) - velocity).max() < 1e-6 + 2e-6
    assert np.abs(pendulum.value(place.acceleration(), times) - acceleration).max() < 1.3e-5 + 3e-5


def mechanics_of_sympy() -> tuple[Any, ...]:
    """The tip of the double pendulum, and u', by another program."""
    q1, q2, u1, u2 = mechanics.dynamicsymbols("q1 q2 u1 u2")
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g")
    ground, origin = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    origin.set_vel(ground, 0)
    upper, lower = (ground.orientnew(name, "Axis", [q, ground.z]) for name, q in (("A", q1), ("B", q2)))
    rates = {q1.diff(): u1, q2.diff(): u2}
    for frame, speed in ((upper, u1), (lower, u2)):
        frame.set_ang_vel(ground, speed * ground.z)
    elbow = origin.locatenew("P", -l1 * upper.y)
    tip = elbow.locatenew("Q", -l2 * lower.y)
    elbow.v2pt_theory(origin, ground, upper)
    tip.v2pt_theory(elbow, ground, lower)
    kane = mechanics.KanesMethod(ground, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[u1 - q1.diff(), u2 - q2.diff()])
    particles = [mechanics.Particle("first", elbow, m1), mechanics.Particle("second", tip, m2)]
    loads = [(elbow, -m1 * g * ground.y), (tip, -m2 * g * ground.y)]
    kane.kanes_equations(particles, loads)
    motion = kane.mass_matrix.LUsolve(kane.forcing)
    moved = {u1.diff(): motion[0], u2.diff(): motion[1]}
    names = {symbol: sympy.Symbol(str(symbol.func)) for symbol in (q1, q2, u1, u2)}
    acceleration = tip.acc(ground).express(ground).to_matrix(ground).subs(rates).subs(moved)
    vectors = (
        tip.pos_from(origin).to_matrix(ground),
        tip.vel(ground).to_matrix(ground).subs(rates),
        acceleration,
    )
    return tuple(vector.subs(rates).subs(names) for vector in (*vectors, motion)), (m1, m2, l1, l2, g)


def test_the_double_pendulum_of_sympy_mechanics_moves_the_same(pendulum: detent.Run) -> None:
    found, parameters = mechanics_of_sympy()
    arguments = [sympy.Symbol(name) for name in ("q1", "q2", "u1", "u2")]
    system, times = pendulum.model, between(pendulum)
    state = pendulum.at(times)
    given = [state[str(name)] for name in arguments] + [pendulum.parameters[str(p)] for p in parameters]
    tip = system.points["tip"]
    asked = (tip.position(), tip.velocity(), tip.acceleration())
    for vector, expression in zip(found[:3], asked, strict=True):
        rows = [
            np.broadcast_to(sympy.lambdify([*arguments, *parameters], part)(*given), times.shape) for part in vector
        ]
        expected, values = np.stack(rows, axis=1), pendulum.value(expression, times)
        # Both solve a 2 by 2 system whose condition is below 10, from a few dozen products.
        assert np.abs(values - expected).max() <= 1000 * EPS * (1 + np.abs(expected).max())
    for number, speed in enumerate(("u1", "u2")):
        expected = sympy.lambdify([*arguments, *parameters], found[3][number])(*given)
        assert np.abs(pendulum.value(system[speed].rate, times) - expected).max() <= 1000 * EPS * np.abs(expected).max()


def test_the_turning_of_a_body_in_space_is_that_of_its_axes() -> None:
    run = detent.example("tumbling-body").simulate(until=3, rtol=1e-12)
    (body,) = run.model.bodies.values()
    frame = body.frame
    times, step = np.linspace(0.1, 2.9, 57), 2e-3
    spin, turned = run.value(frame.angular_velocity(), times), run.value(frame.angular_acceleration(), times)
    axis = difference(lambda t: run.value(frame.x, t), times, step)
    size = np.abs(spin).max()
    bound = step**4 / 30 * (2 * size) ** 5 + 1e-9 / step
    assert np.abs(np.cross(spin, run.value(frame.x, times)) - axis).max() < bound
    change = difference(lambda t: run.value(frame.angular_velocity(), t), times, step)
    assert np.abs(turned - change).max() < size * bound
    assert np.abs(run.value(f"{body.name}.angular_velocity.z", times) - spin[:, 2]).max() == 0.0


# -- reactions and contacts ------------------------------------------------------------------------


def resting_box() -> detent.Run:
    """A box on a floor with both lower corners: its forces are not unique."""
    system = detent.System("box")
    x, y, turn = system.coordinates(x=0, y=0.5, turn=0)
    frame = system.ground.rotated("box", turn)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    box = system.body("box", center=center, frame=frame, mass=2, inertia=1)
    system.gravity(-10 * system.ground.y)
    push = system.input("push", detent.Held([0, 0.5], [1, 2]))
    system.force("push", box, push * system.ground.x)
    system.contact(
        "box|floor",
        box.polygon((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
        system.ground.line(),
        friction=detent.Coulomb(0.5),
    )
    return detent.simulate(system, until=1, step=0.05)


NAMES = [
    "slider-crank", "four-bar-chain", "rolling-disk", "latch", "disk-on-ramp", "kneed-walker", "adjustable-fence",
    "rocking-block", "stick-slip", "sliding-sphere", "heavy-top", "resting box",
]  # fmt: skip


def made(name: str) -> detent.Run:
    return resting_box() if name == "resting box" else detent.example(name).simulate(until=2)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_solved_for_between_the_nodes_is_at_the_nodes_what_the_run_keeps(name: str) -> None:
    run = made(name)
    system = system_of(run.model)
    assert system is not None
    nodes = Instants.of_nodes(run)
    solved = BetweenNodes(run, run.model, compile_system(system).for_one_run()).solved(nodes, with_contacts=True)
    rates = run.trajectory.rate[:, run.layout.speed_columns]
    # One linear solve against another: the condition of these models is below 1e3.
    bound = 1e4 * EPS
    assert np.abs(solved.accelerations - rates).max() <= bound * (1 + np.abs(rates).max())
    for row, kept in run.reactions.items():
        np.testing.assert_array_equal(np.isnan(solved.reactions[row]), np.isnan(kept))
        np.testing.assert_allclose(solved.reactions[row], kept, rtol=bound, atol=bound * (1 + np.nanmax(np.abs(kept))))
        np.testing.assert_array_equal(run.value(system.reaction(row)), kept)
    for contact, features in run.contact_features.items():
        for feature in features:
            _contacts_agree(run, system.contacts[contact], feature, solved.contacts, bound)


def _contacts_agree(
    run: detent.Run, contact: detent.Contact, feature: str, solved: dict[str, np.ndarray], bound: float
) -> None:
    course, place = run.contacts[contact.place(feature)], contact.place(feature)
    np.testing.assert_array_equal(run.value(contact.normal_force(feature)), course.normal)
    np.testing.assert_array_equal(run.value(contact.force(feature)), course.force)
    np.testing.assert_allclose(solved[f"normal force of {place}"], course.normal, rtol=bound, atol=bound)
    np.testing.assert_allclose(run.value(contact.gap(feature)), course.gap, rtol=bound, atol=bound)
    np.testing.assert_allclose(run.value(contact.point(feature)), course.point, rtol=bound, atol=bound)
    slips, frictions = contact.slip(feature), contact.friction_force(feature)
    for number in range(1 if contact.planar else 2):
        slip, friction = (slips, frictions) if contact.planar else (slips[number], frictions[number])
        kept = (
            (course.slip, course.friction) if contact.planar else (course.slip[:, number], course.friction[:, number])
        )
        np.testing.assert_allclose(run.value(slip), kept[0], rtol=bound, atol=bound)
        np.testing.assert_array_equal(run.value(friction), kept[1])
    for axis in range(3):
        np.testing.assert_allclose(
            solved[f"contact force of {place}.{AXES[axis]}"], course.force[:, axis], rtol=bound, atol=20 * bound
        )


def test_forces_that_are_not_unique_are_shared_between_the_nodes_as_at_them() -> None:
    run = resting_box()
    assert (run[SHARING] == 1.0).all()
    contact = run.model.contacts["box|floor"]
    touching = [feature for feature in contact.features if run.contacts["box|floor"][feature].normal[0] > 0]
    times = np.array([0.213, 0.613])
    normal = sum(run.value(contact.normal_force(feature), times) for feature in touching)
    friction = sum(run.value(contact.friction_force(feature), times) for feature in touching)
    # The box stands: its weight is 20 N, and it is pushed by 1 N and then by 2 N, at half its height.
    np.testing.assert_allclose(normal, 20.0, rtol=1e-9)
    np.testing.assert_allclose(friction, [-1.0, -2.0], rtol=1e-9)
    assert np.abs(run.value(contact.first.seat.origin.acceleration(), times)).max() < 1e-9


def test_the_reaction_of_a_pendulums_rod_between_the_nodes_is_its_closed_form() -> None:
    system = detent.System("bob on a rod")
    x, y = system.coordinates(x=0.6, y=-0.8)
    bob = system.particle("bob", system.origin.offset("bob", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-10 * system.ground.y)
    system.constrain("rod", sympy.sqrt(x**2 + y**2) - 1)
    run = detent.simulate(system, until=2, rtol=1e-12)
    times = between(run)
    along = bob.center.velocity()
    # m v^2/l + m g cos(angle), towards the pivot.
    pull = -2 * along.dot(along) + 2 * 10 * y
    # The state between the nodes is off the circle by what the interpolant is off the motion.
    np.testing.assert_allclose(run.value(system.reaction("rod"), times), run.value(pull, times), rtol=1e-8)


def test_a_reaction_is_not_a_number_where_its_row_is_not_active() -> None:
    example = detent.example("latch")
    run = example.simulate()
    catch = example.system.reaction("catch")
    np.testing.assert_array_equal(run.value(2 * catch), 2 * run.reactions["catch"])
    held = next(visit for visit in run.modes if np.isfinite(run.value(catch, (visit.start + visit.end) / 2)))
    free = next(visit for visit in run.modes if visit.mode != held.mode)
    assert np.isnan(run.value(catch, (free.start + free.end) / 2))


# -- random expressions ----------------------------------------------------------------------------


class Expressions:
    """Makes random expressions of a system's symbols that are finite for every real value of these."""

    def __init__(self, symbols: list[Any], seed: int) -> None:
        self.symbols, self.numbers = symbols, np.random.default_rng(seed)

    def pick(self, things: list[Any]) -> Any:
        return things[int(self.numbers.integers(len(things)))]

    def made(self, depth: int) -> Any:
        if depth == 0 or self.numbers.random() < 0.1:
            number = sympy.Float(round(float(self.numbers.normal()), 3))
            return self.pick([*self.symbols, number, sympy.Rational(int(self.numbers.integers(1, 9)), 7)])
        one, other = self.made(depth - 1), self.made(depth - 1)
        return self.pick(
            [
                lambda: one + other,
                lambda: one - other,
                lambda: one * other,
                lambda: one / (1 + other**2),
                lambda: sympy.sin(one) + other,
                lambda: sympy.cos(one) * other,
                lambda: sympy.tanh(one),
                lambda: sympy.sqrt(1 + one**2),
                lambda: sympy.exp(-(one**2)),
                lambda: sympy.atan2(one, 2 + sympy.cos(other)),
                lambda: sympy.Max(one, other),
                lambda: sympy.Abs(one) + other,
                lambda: sympy.Piecewise((one, one < other), (other, True)),
                lambda: one**3 / (2 + one**2),
            ]
        )()


def agrees_with_lambdify(run: detent.Run, symbols: list[Any], seed: int) -> None:
    expression = Expressions(symbols, seed).made(int(np.random.default_rng(seed).integers(1, 6)))
    times = np.random.default_rng(seed + 1).uniform(run.t[0], run.t[-1], 7)
    names = [sympy.Symbol(f"s{number}") for number in range(len(symbols))]
    plain = expression.xreplace(dict(zip(symbols, names, strict=True)))
    function = sympy.lambdify(names, plain, modules="mpmath")
    state = run.at(times)
    known = {**{name: state[name] for name in run.layout.names}, "t": times}
    known |= {name: np.full(len(times), value) for name, value in run.parameters.items()}
    given = np.array([known[symbol.name] for symbol in symbols])
    expected = np.array([float(function(*column)) for column in given.T])
    # Values of up to 1e5 go through sines, five deep: of sixteen digits some six may be lost.
    np.testing.assert_allclose(run.value(expression, times), expected, rtol=1e-9, atol=1e-9, err_msg=str(expression))


def symbols_of(run: detent.Run) -> list[Any]:
    system = run.model
    names = ("q1", "q2", "u1", "u2", "m1", "g")
    return [*(system[name] for name in names), system.time]


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_have_the_values_that_sympy_gives_them(pendulum: detent.Run, seed: int) -> None:
    agrees_with_lambdify(pendulum, symbols_of(pendulum), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000, 50))
def test_many_random_expressions_have_the_values_that_sympy_gives_them(pendulum: detent.Run, seed: int) -> None:
    for own in range(seed, seed + 50):
        agrees_with_lambdify(pendulum, symbols_of(pendulum), own)


def test_modes_that_each_have_a_constraint_of_one_name_are_told_apart() -> None:
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-10 * system.ground.y)
    automaton = detent.Automaton(system)
    level = automaton.mode("level", constraints=[detent.holonomic("wire", y)])
    steep = automaton.mode("steep", constraints=[detent.holonomic("wire", y + x)])
    automaton.transition("bends", level, steep, when=system.time >= 0.5)
    run = detent.simulate(automaton, until=1)
    # On the level wire the bead rests, on one of 45 degrees it slides with g/2 along x and along y.
    np.testing.assert_allclose(run.value("bead.acceleration.x", [0.3, 0.7]), [0.0, 5.0], atol=1e-13)
    np.testing.assert_allclose(run.value("bead.acceleration.y", [0.3, 0.7]), [0.0, -5.0], atol=1e-13)


@pytest.mark.parametrize("push", [0.0, 2.0])
def test_shared_forces_between_nodes_in_the_modes_of_an_automaton_balance_the_loads_that_act(push: float) -> None:
    """A box stands on two corners, whose forces are not unique: their sum is its weight, and friction stops the wind,
    which blows in one of two modes only."""
    system = detent.System("box in the wind")
    x, y, angle = system.coordinates(x=0, y=0.5, angle=0)
    center = system.origin.offset("center", x*system.ground.x + y*system.ground.y)  # fmt: skip
    box = system.body("box", center, system.ground.rotated("turned", angle), 1, 0.1)
    system.gravity(-9.81 * system.ground.y)
    system.force("wind", center, push * system.ground.x, active=False)
    corners = box.polygon((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    floor = system.ground.line((0, 0), (1, 0))
    contact = system.contact("box|floor", corners, floor, friction=detent.Coulomb(0.5), impact=detent.Plastic())
    automaton = detent.Automaton(system)
    calm, windy = automaton.mode("calm"), automaton.mode("windy", loads=["wind"])
    automaton.transition("blows", calm, windy, when=system.time >= 0.5)
    run = detent.simulate(automaton, until=1)
    forces = sum(run.value(contact.force(f"corner {number}"), [0.25, 0.75]) for number in (1, 2))
    np.testing.assert_allclose(forces, [[0, 9.81, 0], [-push, 9.81, 0]], atol=1e-12)


def test_components_are_asked_for_together() -> None:
    """Along a body's own axes, as ``Vector.express`` gives them; a rod's end stays where it is along the rod."""
    example = detent.example("pendulum")
    run = example.simulate(until=1, parameters={"length": 0.7})
    bob, rod = example.system.bodies["bob"].center, example.system.frames["rod"]
    found = run.value(bob.position().express(rod), [0.2, 0.8])
    np.testing.assert_allclose(found, [[0, -0.7, 0], [0, -0.7, 0]], atol=1e-15)


def test_the_slip_of_a_contact_in_space_has_two_components() -> None:
    example = detent.example("sliding-sphere")
    run = example.simulate()
    (contact,) = example.system.contacts.values()
    place = run.contacts[contact.name][""]
    np.testing.assert_array_equal(run.value(contact.slip()), place.slip)
    assert run.value(contact.friction_force(), 0.1).shape == (2,)


def test_components_of_a_velocity_have_short_labels(tmp_path: Path) -> None:
    example = detent.example("pendulum")
    run = example.simulate(until=1)
    run.to_csv(tmp_path / "run.csv", [example.system.bodies["bob"].center.velocity()], times=[0, 1])
    head = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert head.split(",")[1] == "velocity of bob along ground.x [m/s]"


def test_times_that_are_no_numbers_are_refused() -> None:
    run = detent.example("pendulum").simulate(until=1)
    with pytest.raises(detent.DetentError, match="at the times 'soon'; give numbers, in s"):
        run.value("angle", "soon")
    asks = (run.at, partial(run.value, "angle"), partial(detent.evaluate, run.model, run, "angle"))
    for ask, times in itertools.product(asks, ("0.3", [0.2, "0.3"], b"0.3")):
        with pytest.raises(detent.DetentError, match="give numbers, in s"):
            ask(times)
    with pytest.raises(detent.DetentError, match="a tuple without components is asked of a run"):
        run.value(())
