"""Loads: what acts on bodies. Each keeps its own name and its own contribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.vector import Vector


@dataclass(frozen=True, eq=False)
class Gravity:
    """The same acceleration (m/s^2) for every mass. Conservative."""

    name: str
    acceleration: Vector


@dataclass(frozen=True, eq=False)
class Force:
    """A force (N) at a point; its opposite at ``reaction``, if there is one."""

    name: str
    point: Point
    vector: Vector
    reaction: Point | None = None


@dataclass(frozen=True, eq=False)
class Torque:
    """A torque (N m) on a frame; its opposite on ``reaction``, if there is one."""

    name: str
    frame: Frame
    vector: Vector
    reaction: Frame | None = None


@dataclass(frozen=True, eq=False)
class Potential:
    """A potential energy (J), a function of coordinates, signals and time. Springs are potentials. Conservative."""

    name: str
    energy: Any


@dataclass(frozen=True, eq=False)
class PointSpring:
    """A spring between two points: V = k (distance - rest)^2 / 2. Conservative."""

    name: str
    first: Point
    second: Point
    stiffness: Any
    rest: Any


@dataclass(frozen=True, eq=False)
class Damper:
    """Resists a rate chi (an expression linear in the speeds): -b chi, or -b |chi| chi when quadratic."""

    name: str
    rate: Any
    coefficient: Any
    quadratic: bool = False


@dataclass(frozen=True, eq=False)
class PointDamper:
    """Resists the velocity of a point against the ground: -b v, or -b |v| v when quadratic."""

    name: str
    point: Point
    coefficient: Any
    quadratic: bool = False


@dataclass(frozen=True, eq=False)
class PairDamper:
    """Resists the rate at which two points part, along the line between them."""

    name: str
    first: Point
    second: Point
    coefficient: Any
    quadratic: bool = False


Load: TypeAlias = Gravity | Force | Torque | Potential | PointSpring | Damper | PointDamper | PairDamper
