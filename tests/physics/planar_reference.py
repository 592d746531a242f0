"""Rigid bodies in the plane with dry friction, by a second method: rows by hand, all statuses tried, SciPy's steps.

Nothing here is detent's. While statuses last SciPy integrates
where one ends all combinations of statuses of the
contacts that touch are tried, and those kept whose forces and accelerations agree with them. Where they leave more than
one motion the reference ends, for there is no answer to compare with.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

from tests.physics.planar_impacts import OPEN, SLIP, STICK, NoAnswer, keller, plastic
from tests.physics.planar_scenes import Scene, Touch

NEAR = 1e-9
Chosen = list[tuple[int, int, int]]
"""Contacts that touch: number, status, sign of the slip."""
Forces = dict[int, tuple[float, float]]


@dataclass(frozen=True)
class Segment:
    start: float
    end: float
    statuses: tuple[int, ...]
    final: np.ndarray
    cause: str


def cross(w: float, r: np.ndarray) -> np.ndarray:
    return np.array([-w * r[1], w * r[0]])


def _passes(guard: Any, path: Any, before: float, after: float) -> float:
    return float(brentq(lambda t: guard(t, path(t)), before, after, xtol=1e-15))


class Reference:
    def __init__(self, scene: Scene, rtol: float = 1e-12) -> None:
        self.scene = scene
        self.n = 3 * len(scene.bodies)
        inverse = []
        for body in scene.bodies:
            inverse += [1 / body.mass, 1 / body.mass, 1 / body.inertia if body.turns else 0.0]
        self.inverse = np.array(inverse)
        self.rtol = rtol
        self.rank = self.size = 0

    def rows(
        self, touch: Touch, t: float, y: np.ndarray
    ) -> tuple[float, float, np.ndarray, float, float, np.ndarray, float]:
        """gap, its rate, its row, the rest of its second derivative; slip, its row, the rest of its rate."""
        q, v = y[: self.n], y[self.n :]
        i = 3 * touch.first
        c, s = math.cos(q[i + 2]), math.sin(q[i + 2])
        rho = np.array([c * touch.at[0] - s * touch.at[1], s * touch.at[0] + c * touch.at[1]])
        p, w1 = q[i : i + 2] + rho, v[i + 2]
        vp = v[i : i + 2] + cross(w1, rho)
        j = None if touch.second is None else 3 * touch.second
        angle = 0.0 if j is None else q[j + 2]
        n = np.array([-math.sin(angle + touch.direction), math.cos(angle + touch.direction)])
        tangent = np.array([n[1], -n[0]])
        ca, sa = math.cos(angle), math.sin(angle)
        seat = np.array([ca * touch.seat[0] - sa * touch.seat[1], sa * touch.seat[0] + ca * touch.seat[1]])
        o, vo, w2 = (np.zeros(2), np.zeros(2), 0.0) if j is None else (q[j : j + 2], v[j : j + 2], v[j + 2])
        d = p - o
        relative = vp - vo - cross(w2, d)
        gap = n @ (d - seat) - touch.radius
        slip = tangent @ relative + touch.radius * (w1 - w2) - touch.belt(t)
        jn, jt = np.zeros(self.n), np.zeros(self.n)
        for row, e in ((jn, n), (jt, tangent)):
            row[i : i + 2] = e
            row[i + 2] = e @ cross(1.0, rho)
            if j is not None:
                row[j : j + 2] = -e
                row[j + 2] = -(e @ cross(1.0, d))
        jt[i + 2] += touch.radius
        if j is not None:
            jt[j + 2] -= touch.radius
        centripetal = -(w1**2) * rho - cross(w2, vp - vo)
        bn = cross(w2, n) @ relative + n @ centripetal
        bt = cross(w2, tangent) @ relative + tangent @ centripetal - touch.belt.rate(t)
        return gap, float(n @ relative), jn, bn, slip, jt, bt

    def free(self, t: float, y: np.ndarray) -> np.ndarray:
        out = np.empty(self.n)
        for k, body in enumerate(self.scene.bodies):
            out[3 * k] = self.scene.gravity[0] + body.force[0](t) / body.mass
            out[3 * k + 1] = self.scene.gravity[1] + body.force[1](t) / body.mass
            out[3 * k + 2] = body.force[2](t) / body.inertia if body.turns else 0.0
        return out

    def solve(self, t: float, y: np.ndarray, chosen: Chosen) -> tuple[np.ndarray, Forces, float]:
        """Accelerations and forces for (touch, status, sign of slip); and how well the equations could be met."""
        free = self.free(t, y)
        kin = {k: self.rows(self.scene.touches[k], t, y) for k, status, _ in chosen}
        rows, columns, right, owner = [], [], [], []
        for k, status, sign in chosen:
            if status == OPEN:
                continue
            _, _, jn, bn, _, jt, bt = kin[k]
            touch = self.scene.touches[k]
            rows.append(jn)
            right.append(-(jn @ free + bn))
            columns.append(jn if status == STICK else jn - sign * touch.mu * jt)
            owner.append((k, "n"))
            if status == STICK:
                rows.append(jt)
                right.append(-(jt @ free + bt))
                columns.append(jt)
                owner.append((k, "t"))
        forces: Forces = {k: (0.0, 0.0) for k, _, _ in chosen}
        if not rows:
            return free, forces, 0.0
        J, C = np.array(rows), np.array(columns)
        A = J @ (self.inverse[:, None] * C.T)
        lam, *_ = np.linalg.lstsq(A, np.array(right), rcond=1e-11)
        miss = float(np.abs(A @ lam - right).max())
        self.rank = int(np.linalg.matrix_rank(A, tol=1e-10 * max(1.0, np.abs(A).max())))
        self.size = len(rows)
        for (k, which), value in zip(owner, lam, strict=True):
            forces[k] = (value, forces[k][1]) if which == "n" else (forces[k][0], value)
        for k, status, sign in chosen:
            if status == SLIP:
                forces[k] = (forces[k][0], -sign * self.scene.touches[k].mu * forces[k][0])
        return free + self.inverse * (C.T @ lam), forces, miss

    def feasible(self, t: float, y: np.ndarray, chosen: Chosen) -> tuple[np.ndarray, Forces] | None:
        """The same where forces may be not unique: a linear programme looks for some inside the cones."""
        free = self.free(t, y)
        closed = [c for c in chosen if c[1] != OPEN]
        count = 2 * len(closed)
        equal, right, below, bound = [], [], [], []
        force_rows = np.zeros((count, self.n))
        kin = {k: self.rows(self.scene.touches[k], t, y) for k, _, _ in chosen}
        for number, (k, _, _) in enumerate(closed):
            force_rows[2 * number], force_rows[2 * number + 1] = kin[k][2], kin[k][5]
        for number, (k, status, sign) in enumerate(closed):
            _, _, jn, bn, _, jt, bt = kin[k]
            mu, holds = self.scene.touches[k].mu, self.scene.touches[k].holds
            equal.append((jn * self.inverse) @ force_rows.T)
            right.append(-(jn @ free + bn))
            unit = np.zeros(count)
            if status == STICK:
                equal.append((jt * self.inverse) @ force_rows.T)
                right.append(-(jt @ free + bt))
                for side in (1, -1):
                    unit = np.zeros(count)
                    unit[2 * number + 1] = side
                    unit[2 * number] = -holds
                    below.append(unit)
                    bound.append(0.0)
            else:
                unit[2 * number + 1], unit[2 * number] = 1.0, sign * mu
                equal.append(unit)
                right.append(0.0)
        bounds = [(0, None) if index % 2 == 0 else (None, None) for index in range(count)]
        found = linprog(
            np.zeros(count),
            A_ub=np.array(below) if below else None,
            b_ub=bound or None,
            A_eq=np.array(equal),
            b_eq=right,
            bounds=bounds,
            method="highs",
        )
        if found.status != 0:
            return None
        forces = {k: (0.0, 0.0) for k, _, _ in chosen}
        for number, (k, _, _) in enumerate(closed):
            forces[k] = (found.x[2 * number], found.x[2 * number + 1])
        return free + self.inverse * (force_rows.T @ found.x), forces

    def choose(
        self,
        t: float,
        y: np.ndarray,
        touching: dict[int, float],
        held: dict[int, tuple[int, int]],
        forced: dict[int, list[tuple[int, int]]],
    ) -> Chosen:
        """Statuses of contacts that touch; ``touching`` gives the slip of each, zero where it is none."""
        keys = sorted(touching)
        scale = max(1.0, float(np.abs(self.free(t, y)).max()))

        def options(k: int) -> list[tuple[int, int]]:
            if k in forced:
                return forced[k]
            if touching[k] != 0.0:
                return [(SLIP, int(np.sign(touching[k]))), (OPEN, 0)]
            if self.scene.touches[k].mu == 0.0:
                return [(SLIP, 1), (OPEN, 0)]
            return [(STICK, 0), (SLIP, 1), (SLIP, -1), (OPEN, 0)]

        found: list[tuple[Chosen, np.ndarray]] = []
        for combination in itertools.product(*(options(k) for k in keys)):
            chosen = [(k, status, sign) for k, (status, sign) in zip(keys, combination, strict=True)]
            acceleration, forces, miss = self.solve(t, y, chosen)
            if miss > 1e-8 * scale:
                continue
            if any(c[1] != OPEN for c in chosen) and self.rank < self.size:
                answer = self.feasible(t, y, chosen)
                if answer is None:
                    continue
                acceleration, forces = answer
            force_scale = max(1e-300, *(abs(forces[k][0]) for k in keys)) if keys else 1.0
            if self.consistent(t, y, chosen, acceleration, forces, touching, scale, force_scale):
                found.append((chosen, acceleration))
        if not found:
            raise NoAnswer("no status")
        distinct = [found[0]]
        for chosen, acceleration in found[1:]:
            if all(np.abs(acceleration - other).max() > 1e-6 * scale for _, other in distinct):
                distinct.append((chosen, acceleration))
        if len(distinct) > 1:
            same = [(c, a) for c, a in found if all(held.get(k, (-1, 0))[0] == status for k, status, _ in c)]
            raise NoAnswer(f"several motions: {[c for c, _ in distinct]}; held {same[:1]}")
        for chosen, _ in found:  # what held goes on
            if all(held.get(k, (-1, 0))[0] == status for k, status, _ in chosen):
                return chosen
        return found[0][0]

    def consistent(
        self,
        t: float,
        y: np.ndarray,
        chosen: Chosen,
        a: np.ndarray,
        forces: Forces,
        touching: dict[int, float],
        scale: float,
        force_scale: float,
    ) -> bool:
        for k, status, sign in chosen:
            touch = self.scene.touches[k]
            _, _, jn, bn, _, jt, bt = self.rows(touch, t, y)
            normal, tangential = forces[k]
            if status == OPEN:
                if jn @ a + bn < -1e-9 * scale:
                    return False
                continue
            if normal < -1e-9 * force_scale:
                return False
            if status == STICK and abs(tangential) > touch.holds * normal + 1e-9 * force_scale:
                return False
            if status == SLIP and touching[k] == 0.0 and touch.mu > 0 and sign * (jt @ a + bt) < -1e-9 * scale:
                return False
        return True

    def run(self, until: float, most: int = 60) -> tuple[list[Segment], str]:
        """What happens until ``until``; and why it ended before, if it did."""
        segments: list[Segment] = []
        y = np.concatenate(
            [
                np.concatenate([np.array(body.place) for body in self.scene.bodies]),
                np.concatenate([np.array(body.speed) for body in self.scene.bodies]),
            ]
        ).astype(float)
        t = 0.0
        held: dict[int, tuple[int, int]] = {}
        forced: dict[int, list[tuple[int, int]]] = {}
        zero: set[int] = set()
        kin = [self.rows(touch, t, y) for touch in self.scene.touches]
        closed = {k for k, row in enumerate(kin) if abs(row[0]) < NEAR}
        cause = "start"
        try:
            for _ in range(most):
                y, closed, zero, struck = self.impacts(t, y, closed, zero)
                kin = [self.rows(touch, t, y) for touch in self.scene.touches]
                touching = {}
                for k in closed:
                    if kin[k][1] < NEAR * 10:
                        touching[k] = 0.0 if k in zero or abs(kin[k][4]) < 1e-10 else kin[k][4]
                if struck:
                    forced = {}
                try:
                    chosen = self.choose(t, y, touching, held, forced)
                except NoAnswer as none:
                    if "no status" not in str(none) or not forced:
                        raise
                    chosen = self.choose(t, y, touching, held, {})
                t, y, what, cause_next = self.segment(t, y, until, chosen, segments, cause)
                cause = cause_next
                if what is None:
                    return segments, ""
                closed = {k for k, status, _ in chosen if status != OPEN}
                held = {k: (status, sign) for k, status, sign in chosen}
                forced, zero = {}, {k for k, status, _ in chosen if status == STICK}
                for kind, k in what:
                    if kind == "gap":
                        closed.add(k)
                    elif kind == "normal":
                        forced[k] = [(OPEN, 0)]
                    elif kind == "slip":
                        zero.add(k)
                        closed.add(k)
                    else:
                        sign = int(kind)
                        forced[k] = [(SLIP, sign), (OPEN, 0)]
        except NoAnswer as none:
            return segments, str(none)
        return segments, "most"

    def segment(
        self, t: float, y: np.ndarray, until: float, chosen: Chosen, segments: list[Segment], cause: str
    ) -> tuple[float, np.ndarray, list[tuple[str, int]] | None, str]:
        statuses = {k: status for k, status, _ in chosen}
        closed = [k for k, status, _ in chosen if status != OPEN]
        guards: list[Any] = []
        names: list[tuple[str, int]] = []

        def add(function: Any, kind: str, k: int) -> None:
            function.terminal, function.direction = True, -1
            guards.append(function)
            names.append((kind, k))

        def shared() -> bool:
            self.solve(t, y, chosen)
            return bool(closed) and self.rank < self.size

        redundant = shared()
        for k, touch in enumerate(self.scene.touches):
            if k not in closed:
                add(lambda t, y, touch=touch: self.rows(touch, t, y)[0], "gap", k)
        for k, status, sign in chosen:
            if status == OPEN:
                continue
            touch = self.scene.touches[k]
            if redundant:
                raise NoAnswer("forces are shared")
            add(lambda t, y, k=k: self.solve(t, y, chosen)[1][k][0], "normal", k)
            if status == SLIP and touch.mu > 0:
                add(lambda t, y, touch=touch, sign=sign: sign * self.rows(touch, t, y)[4], "slip", k)
            if status == STICK:
                for side in (1, -1):

                    def room(t: float, y: np.ndarray, k: int = k, side: int = side, touch: Touch = touch) -> float:
                        normal, tangential = self.solve(t, y, chosen)[1][k]
                        return touch.holds * normal - side * tangential

                    add(room, str(-side), k)

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[self.n :], self.solve(t, y, chosen)[0]])

        end_time, end, what = self.follow(rates, guards, names, t, y, until)
        code = tuple(statuses.get(k, OPEN) for k in range(len(self.scene.touches)))
        segments.append(Segment(t, end_time, code, end, cause))
        if not what:
            return until, end, None, ""
        if end_time - t < 1e-5 and cause != "start":
            raise NoAnswer("too short to tell")
        # other guards that are at zero there too
        for index, guard in enumerate(guards):
            name = names[index]
            if name not in what and name[0] in ("gap", "slip"):
                value = guard(end_time, end)
                before = guard(t, y)
                if abs(value) < 1e-10 and before > 1e-6:
                    what.append(name)
        return end_time, end, what, ", ".join(f"{kind} {self.scene.touches[k].name}" for kind, k in what)

    def follow(
        self, rates: Any, guards: list[Any], names: list[tuple[str, int]], t: float, y: np.ndarray, until: float
    ) -> tuple[float, np.ndarray, list[tuple[str, int]]]:
        """Until the first guard falls below zero: looked at closely where it begins, and at many instants then."""
        start, armed = t, [False] * len(guards)
        while t < until:
            chunk = min(until, t + 0.02)
            answer = solve_ivp(
                rates,
                (t, chunk),
                y,
                method="DOP853",
                rtol=self.rtol,
                atol=self.rtol / 100,
                dense_output=True,
                max_step=0.01,
            )
            looks = np.linspace(t, chunk, 12)
            if t == start:
                looks = np.unique(np.concatenate([start + (chunk - start) * 0.5 ** np.arange(1, 24), looks]))
            before = t
            for look in looks[1:] if looks[0] == t else looks:
                values = [guard(look, answer.sol(look)) for guard in guards]
                fallen = [i for i, value in enumerate(values) if value < 0.0 and armed[i]]
                if fallen:
                    times = {i: _passes(guards[i], answer.sol, before, look) for i in fallen}
                    first = min(times.values())
                    final = (
                        solve_ivp(rates, (t, first), y, method="DOP853", rtol=self.rtol, atol=self.rtol / 100).y[:, -1]
                        if first > t
                        else y
                    )
                    return first, final, [names[i] for i, time in times.items() if time < first + 1e-11]
                early = [i for i, value in enumerate(values) if value < 0.0 and not armed[i]]
                if early and look - start > 2e-5:
                    raise NoAnswer("falls at once")
                for i, value in enumerate(values):
                    armed[i] = armed[i] or value > 0.0
                before = look
            t, y = chunk, answer.y[:, -1]
        return until, y, []

    def impacts(
        self, t: float, y: np.ndarray, closed: set[int], zero: set[int]
    ) -> tuple[np.ndarray, set[int], set[int], bool]:
        kin = {k: self.rows(self.scene.touches[k], t, y) for k in closed}
        if all(row[1] > -NEAR for row in kin.values()):
            return y, closed, zero, False
        keys = sorted(closed)
        J = np.array([row for k in keys for row in (kin[k][2], kin[k][5])])
        W = J @ (self.inverse[:, None] * J.T)
        v = np.array([value for k in keys for value in (kin[k][1], 0.0 if k in zero else kin[k][4])])
        island = self.island(W, v, keys)
        if len(island) == 1:
            number = island[0]
            touch = self.scene.touches[keys[number]]
            block = W[2 * number : 2 * number + 2, 2 * number : 2 * number + 2]
            impulse = np.zeros(len(v))
            impulse[2 * number : 2 * number + 2] = keller(block, v[2 * number : 2 * number + 2], touch)
        else:
            if any(self.scene.touches[keys[number]].restitution > 0 for number in island):
                raise NoAnswer("several contacts strike with restitution")
            impulse = plastic(W, v, [keys[number] for number in island], keys, self.scene.touches)
        y = y.copy()
        y[self.n :] += self.inverse * (J.T @ impulse)
        after = v + W @ impulse
        zero = {k for number, k in enumerate(keys) if abs(after[2 * number + 1]) < 1e-10}
        return y, closed, zero, True

    def island(self, W: np.ndarray, v: np.ndarray, keys: list[int]) -> list[int]:
        """Contacts that feel, through one another, one that strikes."""
        size = len(keys)
        felt = {number for number in range(size) if v[2 * number] < -NEAR}
        while True:
            more = {
                b
                for a in felt
                for b in range(size)
                if np.abs(W[2 * a : 2 * a + 2, 2 * b : 2 * b + 2]).max() > 1e-12 * np.abs(W).max()
            }
            if more <= felt:
                return sorted(felt)
            felt |= more
