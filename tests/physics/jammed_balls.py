"""Balls that fall into a corner of three planes and jam, and what NumPy alone says of them.

Accelerations come from the forces of a run by Newton's law. Small steps come from Stewart and Trinkle 1996: over a step
gaps do not become negative, complementary to the normal impulses, and friction is within its cone, against the slip at
the end of the step; solved by projected sweeps. They know no events and no statuses, nor what held before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import detent

G = 9.81
FLAT = 3e-15
"""A gap, m, that is none: over the shortest steps rounding would be a speed."""


@dataclass(frozen=True)
class Jam:
    """Balls above planes through the origin."""

    normals: np.ndarray
    radius: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    place: np.ndarray
    turned: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    friction: float
    restitution: float
    along_parent: tuple[bool, ...]

    def system(self) -> detent.System:
        system = detent.System("jam")
        system.gravity(-G * system.ground.z)
        laws: dict[str, Any] = {
            "friction": detent.Coulomb(self.friction), "impact": detent.Poisson(self.restitution),
        }  # fmt: skip
        planes, shapes = [system.ground.plane(normal=tuple(map(float, n))) for n in self.normals], list[Any]()
        for i, radius in enumerate(self.radius):
            joint = system.free(f"b{i}", system.origin, system.ground, spin_along_parent=self.along_parent[i])
            about = (float(self.inertia[i]),) * 3
            body = system.body(f"b{i}", joint.point, joint.frame, mass=float(self.mass[i]), inertia=about)
            names = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")
            values = np.concatenate([self.place[i], self.turned[i], self.velocity[i], self.spin[i]])
            system.start(**{f"b{i}_{name}": float(value) for name, value in zip(names, values, strict=True)})
            shapes.append(body.sphere(float(radius)))
            for k, plane in enumerate(planes):
                system.contact(f"b{i}|w{k}", shapes[i], plane, **laws)
            for k in range(i):
                system.contact(f"b{k}|b{i}", shapes[k], shapes[i], **laws)
        return system

    @property
    def pairs(self) -> dict[str, tuple[int, int]]:
        """Each contact with its first ball, and its second one or, below zero, its plane."""
        count = len(self.radius)
        found = {f"b{i}|w{k}": (i, -1 - k) for i in range(count) for k in range(len(self.normals))}
        return found | {f"b{k}|b{i}": (k, i) for i in range(count) for k in range(i)}

    def states(self, run: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places, velocities and angular velocities at all nodes, or at an instant, along the axes of the ground."""
        x, v, w = (
            np.stack([np.stack([run[f"b{i}_{name}"] for name in names], axis=-1) for i in range(len(self.mass))])
            for names in (("x", "y", "z"), ("x_rate", "y_rate", "z_rate"), ("wx", "wy", "wz"))
        )
        for i, along_parent in enumerate(self.along_parent):
            if not along_parent:
                q = np.stack([run[f"b{i}_q{letter}"] for letter in "wxyz"], axis=-1)
                q = q / np.linalg.norm(q, axis=-1, keepdims=True)
                aside = np.cross(q[..., 1:], w[i])
                w[i] = w[i] + 2 * q[..., :1] * aside + 2 * np.cross(q[..., 1:], aside)
        return x, v, w

    def energy(self, run: detent.Run) -> np.ndarray:
        x, v, w = self.states(run)
        each = self.mass[:, None] * ((v**2).sum(-1) / 2 + G * x[..., 2]) + self.inertia[:, None] * (w**2).sum(-1) / 2
        return np.asarray(each.sum(axis=0))

    def normal(self, pair: tuple[int, int], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The normal of a contact, towards its first ball, and its gap, at the places of all balls."""
        one, other = pair
        if other < 0:
            normal = np.broadcast_to(self.normals[-1 - other], x[one].shape)
            return normal, (normal * x[one]).sum(-1) - self.radius[one]
        way = x[one] - x[other]
        length = np.linalg.norm(way, axis=-1, keepdims=True)
        return way / length, length[..., 0] - self.radius[one] - self.radius[other]

    def parting(self, run: detent.Run) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Of each contact its gap, the rate of that and its second rate at all nodes, by Newton from the forces."""
        x, v, _ = self.states(run)
        a = np.zeros_like(x)
        a[..., 2] = -G
        for name, (one, other) in self.pairs.items():
            force = run.contacts[name].force
            a[one] += force / self.mass[one]
            if other >= 0:
                a[other] -= force / self.mass[other]
        found = {}
        for name, (one, other) in self.pairs.items():
            normal, gap = self.normal((one, other), x)
            dv, da = (each[one] - (each[other] if other >= 0 else 0.0) for each in (v, a))
            rate, bends = (normal * dv).sum(-1), (normal * da).sum(-1)
            if other >= 0:
                bends = bends + ((dv**2).sum(-1) - rate**2) / (gap + self.radius[one] + self.radius[other])
            found[name] = gap, rate, bends
        return found

    def forces_of_a_step(self, start: tuple[np.ndarray, ...], step: float) -> dict[str, np.ndarray]:
        """The force of each contact over a small plastic step, from none at all, by the normals at its end."""
        x, v, w = (each.copy() for each in start)
        pairs, impulses = self.pairs, {name: np.zeros(3) for name in self.pairs}
        met = {name: (self.normal(pair, x + step * v)[0], self.normal(pair, x)[1]) for name, pair in pairs.items()}
        v[:, 2] -= step * G
        near = [name for name in pairs if met[name][1] < 1e-3]
        for _ in range(20_000):
            moved = max(self._swept(v, w, pairs[name], *met[name], impulses, name, step) for name in near)
            if moved < 1e-8 * step:
                break
        return {name: impulse / step for name, impulse in impulses.items()}

    def _push(self, v: np.ndarray, w: np.ndarray, pair: tuple[int, int], normal: np.ndarray, by: np.ndarray) -> None:
        one, other = pair
        v[one] += by / self.mass[one]
        w[one] -= self.radius[one] * np.cross(normal, by) / self.inertia[one]
        if other >= 0:
            v[other] -= by / self.mass[other]
            w[other] -= self.radius[other] * np.cross(normal, by) / self.inertia[other]

    def _swept(
        self, v: np.ndarray, w: np.ndarray, pair: tuple[int, int], normal: np.ndarray, gap: float,
        impulses: dict[str, np.ndarray], name: str, step: float,
    ) -> float:  # fmt: skip
        """One contact of a sweep; by how much its impulse changed."""
        one, other = pair
        slip = v[one] - self.radius[one] * np.cross(w[one], normal)
        along, across = 1 / self.mass[one], 1 / self.mass[one] + self.radius[one] ** 2 / self.inertia[one]
        if other >= 0:
            slip = slip - v[other] - self.radius[other] * np.cross(w[other], normal)
            along += 1 / self.mass[other]
            across += 1 / self.mass[other] + self.radius[other] ** 2 / self.inertia[other]
        before, parts = impulses[name], slip @ normal
        closes = parts + (gap / step if abs(gap) > FLAT else 0.0)
        pressed = max(0.0, before @ normal - closes / along)
        rubs = before - (before @ normal) * normal - (slip - parts * normal) / across
        size = math.sqrt(rubs @ rubs)
        if size > self.friction * pressed:
            rubs = rubs * (self.friction * pressed / size)
        impulses[name] = pressed * normal + rubs
        self._push(v, w, pair, normal, impulses[name] - before)
        return float(np.abs(impulses[name] - before).max())


def random_jam(seed: int) -> Jam:
    """One to three balls, without a rebound in two of three."""
    random = np.random.default_rng([seed, 77])
    count = int(random.integers(1, 4))
    friction, restitution = float(random.uniform(0.1, 1.0)), float(random.choice([0, 0, random.uniform(0.05, 0.5)]))
    about = random.uniform(0, 2 * math.pi) + 2 * math.pi / 3 * np.arange(3) + random.uniform(-0.4, 0.4, 3)
    lean = random.uniform(0.4, 0.9, 3)
    normals = np.stack([np.sin(lean) * np.cos(about), np.sin(lean) * np.sin(about), np.cos(lean)], axis=1)
    radius, mass = random.uniform(0.15, 0.3, count), random.uniform(0.4, 3, count)
    inertia = random.uniform(0.25, 0.6, count) * mass * radius**2
    place, height = np.zeros((count, 3)), 0.0
    for i in range(count):
        place[i, :2] = random.uniform(-0.05, 0.05, 2)
        above = ((radius[i] - normals[:, :2] @ place[i, :2]) / normals[:, 2]).max()
        place[i, 2] = max(height + radius[i], above) + random.uniform(0.01, 0.1)
        height = place[i, 2] + radius[i]
    turned = random.standard_normal((count, 4))
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    velocity, spin = random.uniform(-0.7, 0.7, (count, 3)), random.uniform(-4, 4, (count, 3))
    along_parent = tuple(bool(each) for each in random.integers(0, 2, count))
    return Jam(
        normals, radius, mass, inertia, place, turned, velocity, spin, friction, restitution, along_parent,
    )  # fmt: skip


def turned_up(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """The z axis turned by a quaternion."""
    return 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)


CHATTERED = Jam(
    np.array([
        turned_up(0.27118447393030615, -0.06626217863898679, 0, 0.960243877762914),
        turned_up(-0.09721088685342562, 0.2502324379997834, 0, 0.9632931902852085),
        turned_up(-0.136960204762213, -0.30085902168292655, 0, 0.9437826822862798),
    ]),
    np.array([0.17642722025962562, 0.2938649510268746]), np.array([0.7461253754059262, 2.3294289351813964]),
    np.array([0.009289727714324944, 0.08046463391136705]),
    np.array([
        (0.03214491488888191, -0.005780977560142328, 0.2540412171466874),
        (0.01744742102717725, 0.051196001917801534, 0.7443333884331876),
    ]),
    np.array([
        (0.23225063775304905, -0.8406694739340117, 0.30801499158758944, 0.38008057279491547),
        (0.3289837858860248, -0.7789999546198838, -0.23440730551057437, 0.4795643381753791),
    ]),
    np.array([
        (-0.6715318663951504, -0.2690306862234039, -0.3458937472914739),
        (0.44811767828964755, -0.4404335355686187, 0.4167402062046566),
    ]),
    np.array([
        (-2.7965780851052733, -0.2655747142907476, 0.7383653981323438),
        (0.8006608614078004, -2.714990116790707, 2.7769636322978832),
    ]),
    0.5, 0.0, (True, True),
)  # fmt: skip
"""Where it comes to rest, at 0.78704 s, contacts opened and closed a hundred times in some 1e-6 s."""
