"""What each body brings: its inertia and its bias wrench, at the reference point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from detent.dynamics.kinematics import Kinematics, Partial, Twist
from detent.expr import vector3
from detent.expr.graph import Graph, Node
from detent.expr.vector3 import Matrix3, Vector3
from detent.model.body import Body

Row: TypeAlias = tuple[Node, ...]
"""A twist or wrench along the active components."""

Square: TypeAlias = tuple[Row, ...]


@dataclass(frozen=True)
class Element:
    """One body on the graph. Rows and squares are along the active components only."""

    body: Body
    twist: Twist
    inertia: Square
    bias: Row
    """The wrench of inertia without u', at the reference point."""
    weight: Row
    """The wrench of gravity at the reference point."""
    mass: Node
    center: Vector3
    velocity: Vector3
    spin: Vector3
    moment: Vector3
    """The central angular momentum."""


def active_components(twists: list[Twist]) -> tuple[int, ...]:
    """Which of the six twist components (turning x y z, moving x y z) any body has at all."""
    used: set[int] = set()
    for twist in twists:
        for turning, moving in twist.values():
            used |= {number for number, value in enumerate((*turning, *moving)) if not value.is_zero}
    return tuple(sorted(used))


def pick(partial: Partial, active: tuple[int, ...]) -> Row:
    """A twist or wrench along the active components."""
    six = (*partial[0], *partial[1])
    return tuple(six[number] for number in active)


def central_inertia(kinematics: Kinematics, body: Body) -> Matrix3:
    """The central inertia along the resolution frame's axes."""
    convert, given = kinematics.quantities.convert, body.inertia
    xx, yy, zz = convert(given.xx), convert(given.yy), convert(given.zz)
    xy, yz, zx = convert(given.xy), convert(given.yz), convert(given.zx)
    own: Matrix3 = ((xx, xy, zx), (xy, yy, yz), (zx, yz, zz))
    turn = kinematics.matrix(body.frame)
    if turn == kinematics.identity or given.is_round:
        return own
    half = vector3.multiply(turn, own)
    upper = {(i, j): vector3.dot(half[i], turn[j]) for i in range(3) for j in range(i, 3)}
    a, b, c = (upper[0, 0], upper[0, 1], upper[0, 2]), (upper[1, 1], upper[1, 2]), upper[2, 2]
    return (a, (a[1], b[0], b[1]), (a[2], b[1], c))


def element(kinematics: Kinematics, body: Body, gravity: Vector3, active: tuple[int, ...]) -> Element:
    """A body's inertia, bias and weight."""
    mass = kinematics.quantities.convert(body.mass)
    center, motion, spin = kinematics.position(body.center), kinematics.motion(body.center), kinematics.spin(body.frame)
    central = central_inertia(kinematics, body)
    moment = vector3.apply(central, spin.velocity)
    push = vector3.scale(mass, motion.bias)
    turn = vector3.add(vector3.apply(central, spin.bias), vector3.cross(spin.velocity, moment))
    weight = vector3.scale(mass, gravity)
    return Element(
        body=body,
        twist=kinematics.twist(body.center, body.frame),
        inertia=_spatial(kinematics.graph, mass, center, central, active),
        bias=pick((vector3.add(turn, vector3.cross(center, push)), push), active),
        weight=pick((vector3.cross(center, weight), weight), active),
        mass=mass,
        center=center,
        velocity=motion.velocity,
        spin=spin.velocity,
        moment=moment,
    )


def _spatial(graph: Graph, mass: Node, c: Vector3, central: Matrix3, active: tuple[int, ...]) -> Square:
    """The inertia at the reference point: momentum and angular momentum there, per unit twist."""
    zero = graph.zero
    mx, my, mz = vector3.scale(mass, c)
    skew = ((zero, -mz, my), (mz, zero, -mx), (-my, mx, zero))
    xx, yy, zz = mx * c[0], my * c[1], mz * c[2]
    xy, yz, zx = mx * c[1], my * c[2], mz * c[0]
    about: Matrix3 = (
        (central[0][0] + (yy + zz), central[0][1] - xy, central[0][2] - zx),
        (central[1][0] - xy, central[1][1] + (xx + zz), central[1][2] - yz),
        (central[2][0] - zx, central[2][1] - yz, central[2][2] + (xx + yy)),
    )
    whole = [[*about[i], *skew[i]] for i in range(3)]
    whole += [[*(skew[j][i] for j in range(3)), *(mass if i == j else zero for j in range(3))] for i in range(3)]
    return tuple(tuple(whole[i][j] for j in active) for i in active)
