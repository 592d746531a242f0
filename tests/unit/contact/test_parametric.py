"""Parametric curves and surfaces: the nearest point is where the equations of its coordinates hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import fsolve, minimize

import detent
from detent.contact.geometry import Geometry
from detent.contact.pairs import geometries
from detent.contact.placed import placed
from detent.expr import vector3
from detent.expr.derivative import Derivative, partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph, Node
from detent.expr.vector3 import Matrix3, Vector3
from detent.model.carrier import Carrier
from detent.model.shape import Shape

Array = np.ndarray[Any, Any]
Random = np.random.Generator
Points = Callable[[Array], Array]
s, a, b = sympy.symbols("s a b")


@dataclass(frozen=True)
class Case:
    """A shape, and its surface as plain points by coordinates within bounds."""

    make: Callable[[Carrier], Shape]
    points: Points
    bounds: list[tuple[float, float]]
    radius: float = 0.0
    """Added around points: of a disk or a ball, whose centre is all that matters."""


def pad(*columns: Any) -> Array:
    return np.stack(np.broadcast_arrays(*columns, *[0.0] * (3 - len(columns))), axis=-1)


BUMPS = [(0.0, 0.0), (0.5, 0.2), (1.0, 0.1), (1.6, 0.3), (2.1, 0.0)]


def bumps(carrier: Carrier) -> Shape:
    return carrier.profile(BUMPS)


def on_bumps(u: Array) -> Array:
    """The same spline from SciPy."""
    from scipy.interpolate import CubicSpline

    at = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(BUMPS, axis=0), axis=1))])
    return pad(*CubicSpline(at, BUMPS)(u[..., 0]).T.reshape(2, *u.shape[:-1]))


LENGTH = float(np.linalg.norm(np.diff(BUMPS, axis=0), axis=1).sum())

CASES = {
    "point": Case(lambda c: c.point(), lambda u: np.zeros((*u.shape[:-1], 3)), []),
    "circle": Case(lambda c: c.circle(0.2), lambda u: np.zeros((*u.shape[:-1], 3)), [], 0.2),
    "sphere": Case(lambda c: c.sphere(0.2), lambda u: np.zeros((*u.shape[:-1], 3)), [], 0.2),
    "line": Case(lambda c: c.line(), lambda u: pad(u[..., 0]), [(-30.0, 30.0)]),
    "ellipse": Case(lambda c: c.curve(s, sympy.cos(s), 0.6 * sympy.sin(s), (0, 2 * sympy.pi), closed=True),
                    lambda u: pad(np.cos(u[..., 0]), 0.6 * np.sin(u[..., 0])), [(-7.0, 7.0)]),
    "ellipse the other way": Case(
        lambda c: c.curve(s, sympy.cos(s), -0.6 * sympy.sin(s), (0, 2 * sympy.pi), closed=True),
        lambda u: pad(np.cos(u[..., 0]), -0.6 * np.sin(u[..., 0])), [(-7.0, 7.0)]),
    "wave": Case(lambda c: c.curve(s, s, 0.2 * sympy.cos(s), (-2, 2)),
                 lambda u: pad(u[..., 0], 0.2 * np.cos(u[..., 0])), [(-2.0, 2.0)]),
    "profile": Case(bumps, on_bumps, [(0.0, LENGTH)]),
    "ellipsoid": Case(
        lambda c: c.surface((a, b), sympy.cos(a) * sympy.cos(b), 0.8 * sympy.sin(a) * sympy.cos(b),
                            0.6 * sympy.sin(b), ((0, 2 * sympy.pi), (-1.5, 1.5)), closed=(True, False)),
        lambda u: np.stack([np.cos(u[..., 0]) * np.cos(u[..., 1]), 0.8 * np.sin(u[..., 0]) * np.cos(u[..., 1]),
                            0.6 * np.sin(u[..., 1])], axis=-1), [(-7.0, 7.0), (-1.5, 1.5)]),
    "bowl": Case(lambda c: c.surface((a, b), a, b, 0.2 * (a**2 + b**2), ((-1, 1), (-1, 1))),
                 lambda u: np.stack([u[..., 0], u[..., 1], 0.2 * (u[..., 0] ** 2 + u[..., 1] ** 2)], axis=-1),
                 [(-1.0, 1.0)] * 2),
}  # fmt: skip

PAIRS = [
    *product(("point", "circle"), ("ellipse", "ellipse the other way", "wave", "profile")),
    ("line", "ellipse"), ("ellipse", "ellipse"), ("ellipse", "ellipse the other way"), ("wave", "ellipse"),
    *product(("point", "sphere"), ("ellipsoid", "bowl")),
]  # fmt: skip
ABOVE = {"wave", "profile", "bowl", "line"}
"""What has a face only on its upper side."""


class Pair:
    """Two shapes on a graph: the second at rest, the first moved and turned by leaves."""

    def __init__(self, names: tuple[str, str]) -> None:
        system = detent.System("pair")
        carriers = [system.ground, system.ground.rotated("other", 0)]
        self.shapes = [CASES[name].make(carrier) for name, carrier in zip(names, carriers, strict=True)]
        self.graph = graph = Graph()
        self.place: Vector3 = (graph.leaf("px"), graph.leaf("py"), graph.leaf("pz"))
        x, y, z = (tuple(graph.leaf(f"{row}{column}") for column in "xyz") for row in "abc")
        self.rows: Matrix3 = (x, y, z)  # type: ignore[assignment]
        zero, one = graph.zero, graph.one
        convert = FromSympy(graph, {})
        still: Matrix3 = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
        self.first = placed(self.shapes[0], self.place, self.rows, convert)
        self.second = placed(self.shapes[1], (zero, zero, zero), still, convert)

    def geometries(self, backwards: bool = False) -> list[Geometry]:
        pair = (self.second, self.first) if backwards else (self.first, self.second)
        return geometries(self.graph, *pair, name="pair")


def pose(names: tuple[str, str], random: Random) -> tuple[Array, Array]:
    """Somewhere in front of the second shape, turned by any angle."""
    planar = not any(name in ("sphere", "ellipsoid", "bowl") for name in names)
    angle = random.uniform(-np.pi, np.pi) if planar else 0.0
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    if names[1] in ABOVE:
        place = np.array([random.uniform(-0.4, 0.4), 0.0 if planar else random.uniform(-0.4, 0.4), 0.0])
        place[1 if planar else 2] = random.uniform(0.5, 1.0)
        return place + np.array([names[1] == "profile", 0, 0]), turn
    away = random.normal(size=3) * (1, 1, 0 if planar else 0.7)
    if names[0] in ABOVE:  # its face looks to where the other one is
        x, y = -away[:2] / np.linalg.norm(away[:2])
        turn = np.array([[y, x, 0], [-x, y, 0], [0, 0, 1.0]])
    return random.uniform(1.9, 2.6) * away / np.linalg.norm(away), turn


def values(place: Array, turn: Array) -> dict[str, float]:
    at = dict(zip(("px", "py", "pz"), map(float, place), strict=True))
    return at | {f"{row}{column}": float(turn[i, j]) for i, row in enumerate("abc") for j, column in enumerate("xyz")}


def nearest(names: tuple[str, str], place: Array, turn: Array, random: Random) -> tuple[float, Array]:
    """The distance of the surfaces and the coordinates of the nearest points, by search."""
    one, other = (CASES[name] for name in names)
    bounds = [*one.bounds, *other.bounds]
    split = len(one.bounds)

    def apart(u: Array) -> Any:
        return np.linalg.norm(place + one.points(u[..., :split]) @ turn.T - other.points(u[..., split:]), axis=-1)

    low, high = np.array(bounds).T
    starts = random.uniform(low, high, (1500, len(bounds)))
    best = starts[np.argsort(apart(starts))[:3]]
    options = {"ftol": 1e-17, "gtol": 1e-13, "maxiter": 1000}
    found = [minimize(lambda u: float(apart(u)) ** 2, u, bounds=bounds, options=options).x for u in best]
    u = min(found, key=lambda u: float(apart(u)))
    return float(apart(u)) - one.radius, u


def solved(geometry: Geometry, at: dict[str, float], start: Array) -> dict[str, float]:
    """The coordinates where the equations hold, from near there."""
    leaves = [each.leaf for each in geometry.followed]

    def residual(u: Array) -> list[float]:
        return evaluate_nodes(
            [each.equation for each in geometry.followed], at | dict(zip(map(str, leaves), u, strict=True))
        )

    def slopes(u: Array) -> list[list[float]]:
        here = at | dict(zip(map(str, leaves), u, strict=True))
        return [evaluate_nodes([partial(each.equation, leaf) for leaf in leaves], here) for each in geometry.followed]

    for _ in range(6):
        start = start - np.linalg.solve(slopes(start), residual(start))
    return dict(zip(map(str, leaves), map(float, start), strict=True))


@pytest.mark.parametrize("names", PAIRS, ids=" on ".join)
def test_the_gap_at_the_tracked_point_is_the_distance(names: tuple[str, str]) -> None:
    pair = Pair(names)
    geometry = next(each for each in pair.geometries() if each.followed)
    compared = 0
    for number in range(6):
        random = np.random.default_rng([3, number])
        place, turn = pose(names, random)
        apart, u = nearest(names, place, turn, random)
        if CASES[names[0]].bounds and names[0] == "line":
            u = u[1:]  # the place on the line follows from the coordinate on the curve
        at = values(place, turn)
        at |= solved(geometry, at, u)
        gap, *domain = evaluate_nodes([geometry.gap, *(limit.node for limit in geometry.domain)], at)
        if min(domain, default=1.0) < 0:  # an end of the curve is nearest
            continue
        assert gap == pytest.approx(apart, abs=1e-9), number
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("names", PAIRS, ids=" on ".join)
def test_the_gap_changes_with_the_velocity_of_the_tracked_point_along_the_normal(
    names: tuple[str, str], backwards: bool
) -> None:
    pair = Pair(names)
    graph, geometry = pair.graph, next(each for each in pair.geometries(backwards) if each.followed)
    planar = bool(pair.shapes[0].planar or pair.shapes[1].planar)
    random = np.random.default_rng(1)
    place, turn = pose(names, random)
    _, u = nearest(names, place, turn, random)
    u = u[1:] if names[0] == "line" else u
    u = u[::-1] if backwards and len(u) == 2 and planar else u
    velocity = random.normal(size=3) * (1, 1, not planar)
    spin = random.normal(size=3) * (not planar, not planar, 1)
    v, w = ((graph.constant(x), graph.constant(y), graph.constant(z)) for x, y, z in (velocity, spin))
    rates: dict[Node, Node] = dict(zip(pair.place, v, strict=True))
    for column in vector3.transpose(pair.rows):
        rates |= dict(zip(column, vector3.cross(w, column), strict=True))
    at = values(place, turn)
    at |= solved(geometry, at, u)
    arm = vector3.subtract(geometry.point, pair.place)
    moved = vector3.dot(geometry.normal, vector3.add(v, vector3.cross(w, arm)))
    # The distance is stationary in the coordinates, so it does not matter how fast they follow.
    for drift in (0.0, 1.7):
        change = Derivative(graph, rates | {each.leaf: graph.constant(drift) for each in geometry.followed})
        rate, expected = evaluate_nodes([change(geometry.gap), moved], at)
        assert rate == pytest.approx(-expected if backwards else expected, abs=1e-10)


def test_the_equations_stay_regular_when_the_gap_closes() -> None:
    pair = Pair(("ellipse", "ellipse"))
    geometry = next(each for each in pair.geometries() if each.followed)
    at = values(np.array([2.0, 0, 0]), np.eye(3))
    at |= dict(zip((str(each.leaf) for each in geometry.followed), (np.pi, 0.0), strict=True))
    leaves = [each.leaf for each in geometry.followed]
    slopes = [evaluate_nodes([partial(each.equation, leaf) for leaf in leaves], at) for each in geometry.followed]
    assert evaluate_nodes([geometry.gap], at)[0] == pytest.approx(0, abs=1e-15)
    assert abs(np.linalg.det(slopes)) > 0.1
    assert fsolve(lambda u: evaluate_nodes([each.equation for each in geometry.followed],
                                     at | dict(zip(map(str, leaves), u, strict=True))), [3.0, 0.1]) == pytest.approx(
        [np.pi, 0.0], abs=1e-9)  # fmt: skip


def test_an_ellipse_on_a_line_is_as_high_as_it_reaches_down() -> None:
    """Reach of an ellipse with half axes p and q turned by an angle: sqrt(p^2 sin^2 + q^2 cos^2)."""
    pair = Pair(("ellipse", "line"))
    geometry = next(each for each in pair.geometries() if each.followed)
    for angle in np.linspace(0, 3, 7):
        c, q = np.cos(angle), np.sin(angle)
        at = values(np.array([0.3, 1.5, 0]), np.array([[c, -q, 0], [q, c, 0], [0, 0, 1.0]]))
        lowest = np.arctan2(-0.6 * c, -q)
        at |= solved(geometry, at, np.array([lowest]))
        reach = np.hypot(q, 0.6 * c)
        assert evaluate_nodes([geometry.gap, geometry.normal[1]], at) == pytest.approx([1.5 - reach, 1.0], abs=1e-12)
