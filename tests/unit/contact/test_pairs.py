"""Laws that the geometry of every pair of kinds keeps, in random poses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import detent
from detent.contact.geometry import Geometry
from detent.contact.pairs import PAIRS, geometries
from detent.contact.placed import Placed
from detent.expr import vector3
from detent.expr.derivative import Derivative
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph, Node
from detent.expr.vector3 import Vector3
from detent.model.carrier import Carrier
from detent.model.shape import Shape
from tests.unit.contact.samples import Sampled, distance

Array = np.ndarray[Any, Any]
Random = np.random.Generator
Maker = Callable[[Carrier, Random], Shape]

QUICK, SLOW = 80, 5000
"""How many random poses, shared by all pairs."""


def size(random: Random) -> float:
    return float(random.uniform(0.3, 1.2))


def convex(carrier: Carrier, random: Random) -> Shape:
    """Corners on an ellipse, in order of their angles, no two close together."""
    count = int(random.integers(3, 6))
    angles = 2 * np.pi * (np.arange(count) + random.uniform(-0.3, 0.3, count)) / count
    a, b = size(random), size(random)
    return carrier.polygon(*((float(a * np.cos(angle)), float(b * np.sin(angle))) for angle in angles))


def part_of_ring(carrier: Carrier, random: Random, inside: bool) -> Shape:
    first = float(random.uniform(-3, 3))
    radius = size(random) + 1.5 if inside else size(random)
    return carrier.arc(radius, first, first + float(random.uniform(0.3, 6.0)), inside=inside)


def winding(carrier: Carrier, random: Random) -> Shape:
    """Three pieces, none of which turns back over another, with corners of both kinds or none."""
    place, heading = np.zeros(2), float(random.uniform(-0.5, 0.5))
    pieces: list[Any] = []
    for _ in range(3):
        heading = float(np.clip(heading + random.choice([0.0, random.uniform(-0.8, 0.8)]), -1.2, 1.2))
        if random.uniform() < 0.5:
            place = place + size(random) * np.array([np.cos(heading), np.sin(heading)])
            pieces.append(tuple(map(float, place)))
        else:
            to = float(random.uniform(-1.2, 1.2))
            left = np.array([-np.sin(heading), np.cos(heading)])
            center = place + np.sign(to - heading) * size(random) * left
            pieces.append(detent.Turn(tuple(map(float, center)), to - heading))
            c, s = np.cos(to - heading), np.sin(to - heading)
            place, heading = center + np.array([[c, -s], [s, c]]) @ (place - center), to
    return carrier.track((0, 0), *pieces)


MAKERS: dict[str, Maker] = {
    "point": lambda carrier, random: carrier.point(),
    "circle": lambda carrier, random: carrier.circle(size(random)),
    "line": lambda carrier, random: carrier.line(),
    "segment": lambda carrier, random: carrier.segment((-size(random), size(random)), (size(random), -size(random))),
    "arc": lambda carrier, random: part_of_ring(carrier, random, inside=False),
    "arc inside": lambda carrier, random: part_of_ring(carrier, random, inside=True),
    "ring": lambda carrier, random: carrier.arc(3 + size(random), 0, 2 * np.pi, inside=True),
    "polygon": convex,
    "track": winding,
    "sphere": lambda carrier, random: carrier.sphere(size(random)),
    "hollow sphere": lambda carrier, random: carrier.sphere(3 + size(random), inside=True),
    "plane": lambda carrier, random: carrier.plane(),
    "capsule": lambda carrier, random: carrier.capsule(size(random) / 2, size(random)),
    "cylinder": lambda carrier, random: carrier.cylinder(size(random), size(random) * random.choice([0.2, 1.0])),
    "rim": lambda carrier, random: carrier.rim(size(random)),
    "box": lambda carrier, random: carrier.box(size(random), size(random), size(random)),
}
KIND = {"arc inside": "arc", "ring": "arc"}
HOLLOW = {"ring", "hollow sphere"}
CASES = [
    (first, second)
    for first, second in itertools.product(MAKERS, repeat=2)
    if frozenset((KIND.get(first, first), KIND.get(second, second))) in PAIRS
    and not {first, second} <= {*KIND, "arc", "track"}  # hollow ones have no place for one another
    and {first, second} != {"line", "ring"}
    and (first, second) != ("box", "box")  # which features meet there is data: test_box_pairs.py
]
ROUND = {"circle", "sphere"}
SOLID = {"segment", "polygon", "capsule", "cylinder", "box"}
"""Around these every place belongs to one feature: where a disk or ball is, one geometry holds."""
ONE_SIDED = {"segment", "arc", "arc inside", "track"}
"""Points behind the face of these are not seen: there the gap is negative, until they come out."""


@dataclass(frozen=True)
class Program:
    """A pair on a graph, with leaves for where its shapes are."""

    graph: Graph
    first: Placed
    second: Placed
    geometries: list[Geometry]


def placed(graph: Graph, tag: str, shape: Shape) -> Placed:
    def leaves(name: str) -> Vector3:
        x, y, z = (graph.leaf(f"{tag} {name} {letter}") for letter in "xyz")
        return (x, y, z)

    sizes = {name: graph.leaf(f"{tag} {name}") for name in shape.sizes}
    return Placed(shape, leaves("place"), (leaves("ax"), leaves("ay"), leaves("az")), sizes)


def program(first: Shape, second: Shape) -> Program:
    graph = Graph()
    one, other = placed(graph, "1", first), placed(graph, "2", second)
    return Program(graph, one, other, geometries(graph, one, other))


def posed(shape: Shape, random: Random, place: Array) -> Sampled:
    sizes = {name: float(value) for name, value in shape.sizes.items()}
    if shape.planar is False:
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        axes = axes * np.linalg.det(axes)
    else:
        angle = random.uniform(-np.pi, np.pi)
        axes = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    return Sampled(shape, sizes, place, axes)


def values(*sampled: Sampled) -> dict[str, float]:
    found = {f"tip of rim {end}.{number}": 0.0 for end in (1, 2) for number in (1, 2)}  # of cylinders that do not tip
    for tag, each in zip("12", sampled, strict=True):
        found |= {f"{tag} {name}": value for name, value in each.sizes.items()}
        for name, vector in (("place", each.place), *zip(("ax", "ay", "az"), each.axes.T, strict=True)):
            found |= {f"{tag} {name} {letter}": float(v) for letter, v in zip("xyz", vector, strict=True)}
    return found


def scene(case: tuple[str, str], random: Random) -> tuple[Shape, Shape, Sampled, Sampled]:
    """Two shapes near each other, in random poses; what goes into a hollow near its middle."""
    system = detent.System("scene")
    carriers = [system.ground, system.ground.rotated("other", 0)]
    first, second = (MAKERS[name](carrier, random) for name, carrier in zip(case, carriers, strict=True))
    planar = bool(first.planar or second.planar)
    away = random.normal(size=3) * (1, 1, 0 if planar else 1)
    far = random.uniform(0.1, 2.0) if HOLLOW & set(case) else random.uniform(0.3, 3.5)
    base = random.normal(size=3) * (1, 1, 0 if planar else 1)
    one = posed(first, random, base + far * away / np.linalg.norm(away))
    return first, second, one, posed(second, random, base)


def scenes(count: int) -> Iterator[tuple[int, tuple[str, str]]]:
    yield from ((number, CASES[number % len(CASES)]) for number in range(count))


def active(made: Program, at: dict[str, float]) -> list[tuple[Geometry, float]]:
    """The geometries in whose domain the pose is, each with its gap."""
    found = []
    for geometry in made.geometries:
        gap, *domain = evaluate_nodes([geometry.gap, *(limit.node for limit in geometry.domain)], at)
        if all(value >= 0 for value in domain):
            found.append((geometry, gap))
    return found


def check_gaps(count: int) -> None:
    compared: dict[tuple[str, str], int] = dict.fromkeys(CASES, 0)
    for number, case in scenes(count):
        random = np.random.default_rng([7, number])
        for _ in range(40):
            first, second, one, other = scene(case, random)
            found = distance(one, other, random)
            if found is not None:
                break
        else:
            continue
        apart, corners = found
        gaps = [gap for _, gap in active(program(first, second), values(one, other))]
        if ONE_SIDED & set(case) and "circle" not in case:
            gaps = [gap for gap in gaps if gap >= 0]
        where = f"{case}, scene {number}"
        if corners:  # two corners have no program of their own: nothing may be nearer than they are
            assert min(gaps, default=np.inf) >= apart - 1e-9, where
            continue
        assert gaps, where
        assert min(gaps) == pytest.approx(apart, abs=1e-9), where
        if ROUND & set(case) and SOLID & set(case):
            assert len(gaps) == 1, where
        compared[case] += 1
    if count >= 5 * len(CASES):
        assert min(compared.values()) > 0, compared


def test_the_gap_is_the_distance_of_the_surfaces() -> None:
    check_gaps(QUICK)


@pytest.mark.slow
def test_the_gap_is_the_distance_of_the_surfaces_in_many_poses() -> None:
    check_gaps(SLOW)


# -- motion -----------------------------------------------------------------------------------


def twist(graph: Graph, tag: str, planar: bool) -> tuple[Vector3, Vector3]:
    """The velocity of a shape's origin and its angular velocity, as leaves; in the plane only what stays there."""

    def leaf(name: str, stays: bool) -> Node:
        return graph.leaf(f"{tag} {name}") if stays else graph.zero

    velocity = (leaf("vx", True), leaf("vy", True), leaf("vz", not planar))
    return velocity, (leaf("wx", not planar), leaf("wy", not planar), leaf("wz", True))


def rates(shape: Placed, velocity: Vector3, spin: Vector3) -> dict[Node, Node]:
    found = dict(zip(shape.place, velocity, strict=True))
    for axis in shape.axes:
        found |= dict(zip(axis, vector3.cross(spin, axis), strict=True))
    return found


@pytest.mark.parametrize("case", CASES, ids=" on ".join)
def test_the_gap_changes_with_the_velocity_of_the_contact_point_along_the_normal(case: tuple[str, str]) -> None:
    checked = 0
    for number in range(12):
        random = np.random.default_rng([11, number])
        first, second, one, other = scene(case, random)
        made = program(first, second)
        planar = bool(first.planar or second.planar)
        motions = [twist(made.graph, tag, planar) for tag in "12"]
        change = Derivative(made.graph, {**rates(made.first, *motions[0]), **rates(made.second, *motions[1])})
        at = values(one, other)
        at |= {f"{tag} {name}": float(random.normal()) for tag in "12" for name in ("vx", "vy", "vz", "wx", "wy", "wz")}
        for geometry in made.geometries:
            sides = []
            for shape, (velocity, spin) in zip((made.first, made.second), motions, strict=True):
                arm = vector3.subtract(geometry.point, shape.place)
                sides.append(vector3.dot(geometry.normal, vector3.add(velocity, vector3.cross(spin, arm))))
            gap, rate, approach = evaluate_nodes([geometry.gap, change(geometry.gap), sides[0] - sides[1]], at)
            assert rate == pytest.approx(approach, abs=1e-11 * (1 + 1 / max(abs(gap), 1e-3))), geometry.feature
            checked += 1
    assert checked > 0


@pytest.mark.parametrize("case", CASES, ids=" on ".join)
def test_normal_and_tangents_are_a_triad(case: tuple[str, str]) -> None:
    random = np.random.default_rng(5)
    first, second, one, other = scene(case, random)
    made, at = program(first, second), values(one, other)
    for geometry in made.geometries:
        normal, *tangents = (np.array(evaluate_nodes(vector, at)) for vector in (geometry.normal, *geometry.tangents))
        if first.planar or second.planar:
            assert np.allclose([normal, tangents[0]], [[-tangents[0][1], tangents[0][0], 0], tangents[0]], atol=1e-14)
        else:
            assert np.allclose(np.cross(*tangents), normal, atol=1e-14)
            assert abs(tangents[0] @ tangents[1]) < 1e-14
        assert [v @ v for v in (normal, *tangents)] == pytest.approx([1.0] * (1 + len(tangents)), abs=1e-14)


@pytest.mark.parametrize("case", CASES, ids=" on ".join)
def test_a_pair_in_the_other_order_has_the_same_gaps_and_the_opposite_normals(case: tuple[str, str]) -> None:
    random = np.random.default_rng(3)
    first, second, one, other = scene(case, random)
    forward, backward = program(first, second), program(second, first)

    def seen(made: Program, at: dict[str, float], sign: float) -> list[list[float]]:
        found = []
        for each in made.geometries:
            gap, *rest = evaluate_nodes([each.gap, *each.normal, *(limit.node for limit in each.domain)], at)
            found.append([gap, *(sign * v for v in rest[:3]), *sorted(rest[3:])])
        return sorted(found)

    swapped = values(other, replace(one))
    ours, theirs = seen(forward, values(one, other), 1.0), seen(backward, swapped, -1.0)
    assert len(ours) == len(theirs)
    for mine, its in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(its, abs=1e-12)


def test_every_place_of_a_pair_has_a_name_of_its_own() -> None:
    for case in CASES:
        first, second, _, _ = scene(case, np.random.default_rng(7))
        names = [each.feature for each in program(first, second).geometries]
        assert len(set(names)) == len(names), case
