"""Routh's method in exact fractions: an impact in the plane, one straight line after the other.

Written from the equations alone, to compare with; it shares nothing with the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from detent.contact_solves.single_impact_frame import Law


class Jammed(Exception):
    """No normal impulse ends the stage; says which."""


@dataclass
class Line:
    """(v_n, v_t) change by (n, t) for each unit of normal impulse, of which friction gives ``q``."""

    n: Fraction
    t: Fraction
    q: Fraction


@dataclass
class Motion:
    W: tuple[Fraction, Fraction, Fraction]
    """nn, nt, tt."""
    v_n: Fraction
    v_t: Fraction
    mu: Fraction
    static: Fraction
    P_n: Fraction = Fraction(0)
    P_t: Fraction = Fraction(0)
    work: Fraction = Fraction(0)

    def line(self) -> Line:
        nn, nt, tt = self.W
        if self.v_t == 0:
            if abs(nt) <= self.static * tt:  # where tt = 0, nt = 0 too
                q = -nt / tt if tt else Fraction(0)
                return Line(nn + nt * q, Fraction(0), q)
            side = 1 if nt > 0 else -1
        else:
            side = 1 if self.v_t > 0 else -1
        q = -self.mu * side
        return Line(nn + nt * q, nt + tt * q, q)

    def until_stop(self, line: Line) -> Fraction | None:
        return -self.v_t / line.t if self.v_t * line.t < 0 else None

    def move(self, line: Line, p: Fraction) -> None:
        self.work += p * (self.v_n + line.n * p / 2)
        self.P_n, self.P_t = self.P_n + p, self.P_t + line.q * p
        self.v_n, self.v_t = self.v_n + line.n * p, self.v_t + line.t * p

    def compress(self) -> None:
        while True:
            line = self.line()
            if self.v_n == 0 and line.n >= 0:
                return
            ends = -self.v_n / line.n if line.n > 0 else None
            self._go(line, ends, "compression")
            if ends is not None and self.v_n == 0:
                return

    def give(self, impulse: Fraction) -> None:
        """So much more normal impulse."""
        goal = self.P_n + impulse
        while self.P_n < goal:
            self._go(self.line(), goal - self.P_n, "restitution")

    def rise_to(self, speed: Fraction) -> None:
        while self.v_n < speed:
            line = self.line()
            self._go(line, (speed - self.v_n) / line.n if line.n > 0 else None, "restitution")

    def restore(self, work: Fraction) -> Line | None:
        """So much work, but for the last line, on which it ends with a square root; None where there is nothing."""
        goal = self.work + work
        while self.work < goal:
            line, stops = self.line(), None
            stops = self.until_stop(line)
            if stops is None:
                if line.n == 0 and self.v_n == 0:
                    raise Jammed("restitution")
                return line
            if self.work + stops * (self.v_n + line.n * stops / 2) >= goal:
                return line
            self.move(line, stops)
        return None

    def _go(self, line: Line, ends: Fraction | None, stage: str) -> None:
        stops = self.until_stop(line)
        known = [p for p in (ends, stops) if p is not None]
        if not known:
            raise Jammed(stage)
        self.move(line, min(known))


@dataclass
class Struck:
    impulse: list[float]
    after: list[float]
    stopped: bool


def strike(W: list[list[float]], before: list[float], mu: float, e: float, law: Law, static: float) -> Struck:
    """The impact; every number is taken as exactly what it is."""
    exact = (Fraction(W[0][0]), Fraction(W[0][1]), Fraction(W[1][1]))
    motion = Motion(exact, Fraction(before[0]), Fraction(before[1]), Fraction(mu), Fraction(static))
    restitution = Fraction(e)
    motion.compress()
    if law == Law.POISSON:
        motion.give(restitution * motion.P_n)
    elif law == Law.NEWTON:
        motion.rise_to(-restitution * Fraction(before[0]))
    elif law == Law.STRONGE:
        goal = motion.work - restitution**2 * motion.work
        line = motion.restore(-(restitution**2) * motion.work)
        if line is not None:
            left = goal - motion.work
            root = _root(motion.v_n**2 + 2 * line.n * left)
            motion.move(line, 2 * left / (motion.v_n + root))
    return Struck([float(motion.P_n), float(motion.P_t)], [float(motion.v_n), float(motion.v_t)], motion.v_t == 0)


def _root(square: Fraction) -> Fraction:
    """To 40 digits."""
    if square == 0:
        return Fraction(0)
    from math import isqrt

    scale = 10**80
    shift = max(0, -(square.numerator * scale // square.denominator).bit_length() + 280)
    shift += shift % 2
    return Fraction(isqrt((square.numerator << shift) * scale // square.denominator), 10**40 << (shift // 2))
