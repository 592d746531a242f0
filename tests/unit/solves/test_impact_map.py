"""The impact map of the kernel against NumPy's solution of the same equations.

M (u+ - u-) = B^T P,        B u+ + C = -e (B u- + C)
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import detent
from detent.hybrid.impact import Impact
from detent.jit.calling import call_once
from detent.simulation.automaton_director import AutomatonDirector
from detent.solves.impact_frame import CONTRADICTION, GAIN, NO_RESTITUTION

ROUNDING = 2.0**-52


@dataclass(frozen=True)
class Struck:
    """An impact as the kernel worked it out, and the matrices it was worked out from."""

    status: int
    M: np.ndarray
    B: np.ndarray
    C: np.ndarray
    before: np.ndarray
    after: np.ndarray
    impulses: np.ndarray
    rest: tuple[np.ndarray, np.ndarray]
    """What is no speed, before and after."""


def map_of(following: AutomatonDirector, impact: Impact) -> Any:
    """The impact map of a step in the present mode."""
    plans, mode = following._tables.plans, following.current
    return plans.impacts.map_of("strike", mode.name, impact, mode.constraints, (), plans.free_impulses)


def struck(
    system: detent.System, names: list[str], restitution: Any = 0.0, state: Any = None, holding: Sequence[str] = ()
) -> Struck:
    """Strike the constraints of some names in a state (the start, if none is given) while others hold."""
    automaton = detent.Automaton(system)
    automaton.mode("here", holding)
    simulation = detent.Simulation(automaton, embedding="numeric")
    following, layout = simulation._director, simulation._context.compiled.layout
    assert isinstance(following, AutomatonDirector)
    strike = map_of(following, Impact(*names, restitution=restitution))
    x = simulation._context.solver.state if state is None else np.array([*state, 0.0])
    values, out, n = simulation._context.values.vector, np.zeros(len(x)), len(layout.speeds)
    status = call_once(strike.map.cell, 0.0, x, values, out)
    active = simulation._context.workshop.prepare([system.constraints[name] for name in (*holding, *names)])
    now = active.at(0.0, x, values)
    speeds = slice(len(layout.coordinates), len(layout.coordinates) + n)
    return Struck(
        status=status,
        M=simulation._context.compiled.mass(0.0, x, values).reshape(n, n),
        B=now.B,
        C=now.C,
        before=x[speeds],
        after=out[speeds],
        impulses=following._tables.plans.impulses[: len(now.B)].copy(),
        rest=(np.delete(x, speeds), np.delete(out, speeds)),
    )


def solved(found: Struck, restitution: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u+ and P by NumPy, from the whole system at once."""
    m, n = found.B.shape
    matrix = np.block([[found.M, -found.B.T], [found.B, np.zeros((m, m))]])
    right = [found.M @ found.before, -found.C - restitution * (found.B @ found.before + found.C)]
    both = np.linalg.lstsq(matrix, np.concatenate(right), rcond=1e-12)[0]
    return both[:n], both[n:]


def tolerance(found: Struck) -> float:
    """Rounding of the right-hand side, magnified by the condition of the system in equal units."""
    m, n = found.B.shape
    scale = np.concatenate([1 / np.sqrt(np.maximum(np.diag(found.M), 1e-300)), np.ones(m)])
    scale[:n][np.diag(found.M) <= 0] = 1.0
    matrix = np.block([[found.M, -found.B.T], [found.B, np.zeros((m, m))]]) * np.outer(scale, scale)
    values = np.linalg.svd(matrix, compute_uv=False)
    condition = values[0] / values[values > 1e-11 * values[0]][-1]
    return float(64 * (n + m) * condition * ROUNDING * max(1.0, np.abs(found.before).max()))


def chain(links: int) -> detent.System:
    """Rods of different lengths, jointed; their last end and their middle joint above a floor that tilts."""
    system = detent.System("chain")
    point, y = system.origin, system.ground.y
    for number in range(1, links + 1):
        angle = system.coordinates(**{f"q{number}": 0.3 * number})
        frame = system.ground.rotated(f"rod {number}", angle)
        length = 0.5 + 0.1 * number
        center = point.offset(f"center {number}", 0.5 * length * frame.x)
        system.body(f"rod {number}", center=center, frame=frame, mass=number, inertia=0.1 * number)
        point = point.offset(f"joint {number}", length * frame.x)
        system.constrain(detent.holonomic(f"joint {number}", point.along(y) - 0.2 * system.time), active=False)
    return system


def box() -> detent.System:
    """A free body in space with three corners over a floor."""
    system = detent.System("box")
    free = system.free("box", system.origin, system.ground)
    system.body("box", free.point, free.frame, mass=2.5, inertia=(0.2, 0.3, 0.45))
    for number, (a, b) in enumerate([(0.5, 0.3), (-0.5, 0.3), (0.5, -0.3)], 1):
        corner = free.point.offset(f"corner {number}", a * free.frame.x + b * free.frame.y - 0.2 * free.frame.z)
        system.constrain(detent.holonomic(f"corner {number}", corner.along(system.ground.z)), active=False)
        system.constrain(detent.holonomic(f"side {number}", corner.along(system.ground.x)), active=False)
    return system


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_chain_that_strikes_a_moving_floor(rows: int, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    state = numbers.uniform(-1, 1, 10)
    found = struck(chain(5), [f"joint {number}" for number in (5, 3, 2)[:rows]], state=state)
    after, impulses = solved(found, np.zeros(rows))
    assert found.status == 0
    assert np.abs(found.C).min() > 0.1
    np.testing.assert_allclose(found.after, after, atol=tolerance(found))
    np.testing.assert_allclose(found.impulses, impulses, atol=tolerance(found) * np.abs(found.M).max())
    np.testing.assert_array_equal(*found.rest)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_body_in_space_that_strikes_with_a_corner(restitution: float, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    turned = numbers.normal(size=4)
    state = [*numbers.uniform(-1, 1, 3), *numbers.uniform(-2, 2, 6), *(turned / np.linalg.norm(turned))]
    found = struck(box(), ["corner 1"], restitution, state)
    after, impulses = solved(found, np.array([restitution]))
    np.testing.assert_allclose(found.after, after, atol=tolerance(found))
    np.testing.assert_allclose(found.impulses, impulses, atol=tolerance(found))
    np.testing.assert_array_equal(*found.rest)
    velocity = found.B @ np.array([found.before, found.after]).T
    np.testing.assert_allclose(velocity[:, 1], -restitution * velocity[:, 0], atol=tolerance(found))
    lost = found.after @ found.M @ found.after - found.before @ found.M @ found.before
    assert lost <= tolerance(found)
    if restitution == 1:
        assert abs(lost) <= 10 * tolerance(found)


def test_corners_that_strike_together() -> None:
    numbers = np.random.default_rng(7)
    state = [*numbers.uniform(-1, 1, 3), *numbers.uniform(-2, 2, 6), 1.0, 0.0, 0.0, 0.0]
    found = struck(box(), ["corner 1", "corner 2", "corner 3", "side 1"], 0.0, state)
    after, impulses = solved(found, np.zeros(4))
    np.testing.assert_allclose(found.after, after, atol=tolerance(found))
    np.testing.assert_allclose(found.impulses, impulses, atol=tolerance(found))
    np.testing.assert_allclose(found.B @ found.after, 0.0, atol=tolerance(found))


def test_rows_that_follow_from_others_share_the_impulse_and_change_nothing() -> None:
    """One row three times, once in other units: the motion afterwards is that of the row alone."""
    system = chain(3)
    tip = system.constraints["joint 3"].rows[0].expression
    system.constrain(detent.holonomic("again", 3 * tip), active=False)
    system.constrain(detent.holonomic("once more", -tip), active=False)
    state = np.random.default_rng(1).uniform(-1, 1, 6)
    alone = struck(system, ["joint 3"], state=state)
    names = ["again", "joint 3", "once more"]
    for order in itertools.permutations(range(3)):
        together = struck(system, [names[place] for place in order], state=state)
        assert together.status == 0
        np.testing.assert_allclose(together.after, alone.after, atol=tolerance(together))
        # 3 a + b - c = P with the smallest a^2 + b^2 + c^2: in the ratio of their factors, whatever the order.
        share = alone.impulses[0] / 11
        expected = np.array([3 * share, share, -share])[list(order)]
        np.testing.assert_allclose(together.impulses, expected, atol=tolerance(together))


@dataclass(frozen=True)
class Rows:
    """An impact against rows B u + C = 0 of a chain, where B and C are parameters, so that many can be tried."""

    simulation: detent.Simulation
    strike: Any
    impulses: np.ndarray
    names: list[str]

    def __call__(self, state: np.ndarray, B: np.ndarray, C: np.ndarray, restitution: float) -> Struck:
        compiled, values = self.simulation._context.compiled, self.simulation._context.values.vector
        m, n = B.shape
        numbers = dict(zip(self.names, [*B.ravel(), *C, restitution], strict=True))
        for name, value in numbers.items():
            values[compiled.inputs[name][1]] = value
        x, out, speeds = np.array([*state, 0.0]), np.zeros(2 * n + 1), slice(n, 2 * n)
        status = call_once(self.strike.map.cell, 0.0, x, values, out)
        mass = compiled.mass(0.0, x, values).reshape(n, n)
        rest = (np.delete(x, speeds), np.delete(out, speeds))
        return Struck(status, mass, B, C, x[speeds], out[speeds], self.impulses[:m].copy(), rest)


@functools.cache
def rows(links: int, count: int) -> Rows:
    system = chain(links)
    factors = system.parameters(**{f"b{k}_{j}": 0.0 for k in range(count) for j in range(links)})
    constants = system.parameters(**{f"c{k}": 0.0 for k in range(count)})
    restitution = system.parameters(bounce=0.0)
    speeds = list(system.all_speeds())
    for k in range(count):
        expression = sum(factors[k * links + j] * speeds[j] for j in range(links)) + constants[k]
        system.constrain(detent.motion(f"row {k}", expression), active=False)
    names = [symbol.name for symbol in (*factors, *constants, restitution)]
    automaton = detent.Automaton(system)
    automaton.mode("here")
    simulation = detent.Simulation(automaton, embedding="numeric")
    following = simulation._director
    assert isinstance(following, AutomatonDirector)
    impact = Impact(*(f"row {k}" for k in range(count)), restitution=restitution)
    strike = map_of(following, impact)
    return Rows(simulation, strike, following._tables.plans.impulses, names)


@pytest.mark.parametrize("still", [True, False], ids=["still", "moving"])
@pytest.mark.parametrize(("links", "count"), [(2, 3), (4, 6), (6, 5)])
def test_of_all_impulses_that_do_the_same_the_smallest_are_taken(links: int, count: int, still: bool) -> None:
    """Random rows, of which only some say something new, against NumPy's least squares.

    With B = A R, where R has full rank, R determines the motion: R M^-1 R^T p = -(1 + e) (R u- + c). The impulses are
    the smallest with A^T P = p.
    """
    for seed in range(100):
        numbers = np.random.default_rng(seed)
        rank = int(numbers.integers(1, min(links, count - 1) + 1))
        A = numbers.uniform(-1, 1, (count, rank)) * 10.0 ** numbers.integers(-2, 3, (count, 1))
        R, c = numbers.uniform(-1, 1, (rank, links)), np.zeros(rank) if still else numbers.uniform(-1, 1, rank)
        state, restitution = numbers.uniform(-1, 1, 2 * links), float(numbers.choice([0.0, 0.4, 1.0]))
        found = rows(links, count)(state, A @ R, A @ c, restitution)
        assert found.status == 0
        yielding = R @ np.linalg.solve(found.M, R.T)
        own = np.linalg.solve(yielding, -(1 + restitution) * (R @ found.before + c))
        impulses, change = np.linalg.lstsq(A.T, own, rcond=None)[0], np.linalg.solve(found.M, R.T @ own)
        condition = np.linalg.cond(yielding) * np.linalg.cond(found.M) * np.linalg.cond(_of_equal_size(A)) ** 2
        slack = 64 * (links + count) * ROUNDING * condition
        np.testing.assert_allclose(found.after - found.before, change, atol=slack * (1 + np.abs(change).max()))
        size = np.abs(impulses).max()
        np.testing.assert_allclose(found.impulses, impulses, rtol=0, atol=slack * size)
        order = numbers.permutation(count)  # in which the rows are declared
        other = rows(links, count)(state, (A @ R)[order], (A @ c)[order], restitution)
        np.testing.assert_allclose(other.impulses, found.impulses[order], rtol=0, atol=slack * size)
        if still:
            energies = [0.5 * u @ found.M @ u for u in (found.before, found.after)]
            lost = 0.5 * (1 - restitution) / (1 + restitution) * own @ yielding @ own
            assert energies[0] - energies[1] == pytest.approx(lost, abs=slack * (1 + energies[0]))


def _of_equal_size(A: np.ndarray) -> np.ndarray:
    """The same rows in other units, of length one."""
    return A / np.linalg.norm(A, axis=1, keepdims=True)


def test_equal_rows_share_the_impulse_equally_however_they_are_imposed() -> None:
    """By Impact() in an automaton and by Simulation.constrain: one law, so one split."""
    system = detent.System("bead")
    x, y = system.coordinates(x=0.0, y=0.0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=2)
    system.start(x_rate=1.0, y_rate=-3.0)
    pair = detent.holonomic("floor", left=y, right=y)
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", [pair])
    automaton.transition("land", free, held, when=x >= 0.5, reset=[{y: 0}, detent.Impact()])
    followed = detent.Simulation(automaton)
    followed.advance(1)
    steered = detent.Simulation(system)
    steered.constrain(pair)
    for details in (followed.events[0].details, steered.events[0].details):
        assert details["impulse of floor.left"] == pytest.approx(3.0, rel=1e-14)
        assert details["impulse of floor.right"] == pytest.approx(3.0, rel=1e-14)
        assert details["energy"] == pytest.approx(-9.0, rel=1e-14)


def massless() -> detent.System:
    """A mass that hangs on a crank without inertia: M is singular, and the crank's rod says how it moves."""
    system = detent.System("crank")
    x, angle = system.coordinates("x", "angle")
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=3)
    crank = system.ground.rotated("crank", angle)
    pin = system.origin.offset("pin", 0.4 * crank.x)
    system.constrain(detent.holonomic("rod", x - pin.along(system.ground.x) - pin.along(system.ground.y)), active=False)
    system.constrain(detent.holonomic("stop", pin.along(system.ground.y)), active=False)
    return system


def test_speeds_that_move_no_mass_are_told_by_the_constraints() -> None:
    found = struck(massless(), ["stop"], state=[0.8, 0.5, 1.5, -2.0], holding=["rod"])
    assert found.status == 0
    assert np.linalg.matrix_rank(found.M) == 1
    after, impulses = solved(found, np.zeros(2))
    np.testing.assert_allclose(found.after, after, atol=tolerance(found))
    np.testing.assert_allclose(found.impulses, impulses, atol=3 * tolerance(found))


@pytest.mark.parametrize("mass", [1e-14, 1e-9, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e14])
@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_it_does_not_matter_in_which_units_mass_and_rows_are_measured(mass: float, factor: float) -> None:
    system = detent.System("ball")
    x, y = system.coordinates(x=0.0, y=0.0)
    system.particle("ball", system.origin.offset("ball", x * system.ground.x + y * system.ground.y), mass=mass)
    system.start(x_rate=3.0, y_rate=-2.0)
    system.constrain(detent.holonomic("slope", factor * (y - 0.5 * x)), active=False)
    found = struck(system, ["slope"], 0.5)
    # Along the slope nothing changes; across it, -1/2 of the velocity comes back.
    along, across = np.array([2, 1]) / np.sqrt(5), np.array([-1, 2]) / np.sqrt(5)
    before = np.array([3.0, -2.0])
    expected = along * (along @ before) - 0.5 * across * (across @ before)
    np.testing.assert_allclose(found.after, expected, atol=16 * 5 * ROUNDING)
    impulse = mass * 1.5 * -(across @ before) / (factor * np.sqrt(1.25))
    np.testing.assert_allclose(found.impulses, [impulse], rtol=1e-13)


def test_bodies_of_very_different_mass_strike_one_another() -> None:
    """Two balls on a line, of 1e8 kg and 1 g: the light one comes back with twice the speed of the heavy one."""
    system = detent.System("balls")
    a, b = system.coordinates(a=0.0, b=0.0)
    for name, q, mass in (("heavy", a, 1e8), ("light", b, 1e-3)):
        system.particle(name, system.origin.offset(name, q * system.ground.x), mass=mass)
    system.start(a_rate=1.0, b_rate=0.0)
    system.constrain(detent.holonomic("contact", b - a), active=False)
    found = struck(system, ["contact"], 1.0)
    total = 1e8 + 1e-3
    np.testing.assert_allclose(found.after, [(1e8 - 1e-3) / total, 2e8 / total], rtol=1e-13)


@pytest.mark.parametrize(
    ("names", "restitution", "status"),
    [
        (["joint 3", "against"], 0.0, CONTRADICTION),
        (["joint 3"], 1.5, NO_RESTITUTION),
        (["joint 3"], -0.1, NO_RESTITUTION),
        (["still 1", "still 2"], None, GAIN),
    ],
    ids=["contradiction", "above", "below", "gain"],
)
def test_what_cannot_be_is_told_apart(names: list[str], restitution: float | None, status: int) -> None:
    system = chain(3)
    tip = system.constraints["joint 3"].rows[0].expression
    system.constrain(detent.holonomic("against", tip - 0.7 * system.time), active=False)
    y = system.points["joint 3"].along(system.ground.y)
    for number, row in enumerate((y, y + 5 * system.points["joint 1"].along(system.ground.x)), 1):
        system.constrain(detent.holonomic(f"still {number}", row), active=False)
    state = [0.3, 0.6, 0.9, 1.0, -0.5, 2.0]
    if restitution is not None:
        assert struck(system, names, restitution, state).status == status
        return
    found = [struck(system, names, number / 10, state) for number in range(11)]
    for each, number in zip(found, range(11), strict=True):
        gained = _energy_of_solution(each, number / 10)
        assert (each.status == GAIN) == (gained > 1e-9)


def _energy_of_solution(found: Struck, restitution: float) -> float:
    """How much energy the impact would gain, relative to what there is."""
    after, _ = solved(found, np.full(len(found.B), restitution))
    return float(after @ found.M @ after / (found.before @ found.M @ found.before) - 1)
