"""Polynomials with known roots: by their factors, written out, or along a flight."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import sympy

from tests.physics.known_guards import Draw, KnownGuard, Place, Symbols, Unfit, rounding_at
from tests.physics.known_motions import ROUNDING, TIME, Pushed

# -- polynomials by their roots --------------------------------------------------------------------------


@dataclass(frozen=True)
class Factored:
    """sign (s - c1)^m1 (s - c2)^m2 ..., divided so that it stays of moderate size."""

    roots: tuple[tuple[float, int], ...]
    factor: float

    def expression(self, s: Any) -> Any:
        return self.factor * sympy.prod([(s - sympy.Float(c)) ** m for c, m in self.roots])

    def value(self, s: float) -> float:
        return self.factor * math.prod((s - c) ** m for c, m in self.roots)

    @property
    def places(self) -> list[Place]:
        return [Place(c, rounding_at(c)) for c, _ in self.roots]


def random_factored(draw: Draw, places: Sequence[float] | None = None, most: int = 5) -> Factored:
    """Simple roots, and now and then double to fivefold ones."""
    random = draw.random
    several = random.random() < 0.4
    chosen = draw.places if places is None else places
    roots = tuple((c, int(random.integers(1, most + 1)) if several and random.random() < 0.5 else 1) for c in chosen)
    return Factored(roots, float(random.choice([-1, 1]) * 10 ** random.uniform(-1, 1)))


def factored(draw: Draw) -> KnownGuard:
    shape = random_factored(draw)
    return draw.known(shape.expression, shape.value, shape.places)


def composed(draw: Draw) -> KnownGuard:
    """A factored polynomial p in a function that keeps its sign: p e^(-s/3), p/(1 + s^2), atan p, sinh tanh p, ..."""
    shape = random_factored(draw, most=3)
    ways: list[tuple[Callable[[Any, Any], Any], Callable[[float, float], float]]] = [
        (lambda s, p: p * sympy.exp(-s / 3), lambda s, p: p),
        (lambda s, p: p / (1 + s**2), lambda s, p: p),
        (lambda s, p: sympy.atan(p), lambda s, p: p),
        (lambda s, p: sympy.sinh(sympy.tanh(p)), lambda s, p: p),
        (lambda s, p: sympy.tanh(p), lambda s, p: p),
        (lambda s, p: p * sympy.sqrt(1 + s**2), lambda s, p: p),
        (lambda s, p: p * (2 + sympy.cos(7 * s)), lambda s, p: p),
        (lambda s, p: sympy.atan2(p, 1 + s**2), lambda s, p: p),
        (lambda s, p: sympy.sign(p) * (1 + s**2), lambda s, p: p),
    ]
    write, value = ways[draw.random.integers(len(ways))]
    return draw.known(lambda s: write(s, shape.expression(s)), lambda s: value(s, shape.value(s)), shape.places)


# -- expanded polynomials --------------------------------------------------------------------------------


def exact_polynomial(coefficients: Sequence[float | Fraction]) -> Callable[[float], Fraction]:
    """The value in exact arithmetic; the highest power first."""
    exact = [Fraction(c) for c in coefficients]

    def value(s: float) -> Fraction:
        total = Fraction(0)
        for c in exact:
            total = total * Fraction(s) + c
        return total

    return value


def certified_roots(coefficients: Sequence[float | Fraction], low: float, high: float) -> list[float]:
    """The roots between low and high, to all digits, their number confirmed by Sturm's theorem."""
    exact = [sympy.Rational(Fraction(c).numerator, Fraction(c).denominator) for c in coefficients]
    while exact and exact[0] == 0:
        exact.pop(0)
    if len(exact) < 2:
        raise Unfit
    with mpmath.workdps(60):
        try:
            found = mpmath.polyroots([mpmath.mpf(c.p) / c.q for c in exact], maxsteps=500, extraprec=400)
        except mpmath.libmp.NoConvergence:
            raise Unfit from None
        real = sorted(float(root.real) for root in found if abs(root.imag) < 1e-25 and low <= root.real <= high)
    bounds = (sympy.Rational(Fraction(low).limit_denominator(10**18)), sympy.Rational(Fraction(high)))
    s = sympy.Symbol("s")
    if sympy.Poly(exact, s, domain="QQ").count_roots(*bounds) != len(real):
        raise Unfit
    return real


def root_noise(coefficients: Sequence[float | Fraction], root: float, times: int = 1) -> float:
    """How far rounding of the terms a_k s^k moves a root: their size over the first derivative that is not zero."""
    plain = np.array([float(c) for c in coefficients])
    size = 16 * len(plain) * ROUNDING * float(np.polyval(np.abs(plain), abs(root)))
    slope = abs(float(np.polyval(np.polyder(plain, times), root))) / math.factorial(times)
    if slope == 0:
        raise Unfit
    return float((size / slope) ** (1 / times)) + rounding_at(root)


def written_out(coefficients: Sequence[float | Fraction]) -> Callable[[Any], Any]:
    degree = len(coefficients) - 1
    return lambda s: sympy.Add(*[sympy.Float(float(c)) * s ** (degree - k) for k, c in enumerate(coefficients)])


def expanded(draw: Draw) -> KnownGuard:
    """a_n s^n + ... + a_0 with rounded coefficients; its roots are those of the rounded polynomial."""
    low, high = draw.range()
    count = int(draw.random.integers(2, 7))
    coefficients = np.poly(draw.random.uniform(low, high, count)) * draw.random.choice([-1, 1])
    given = [float(c) for c in coefficients]
    roots = certified_roots(given, low - 1e-3, high + 1e-3)
    return draw.known(written_out(given), exact_polynomial(given), [Place(c, root_noise(given, c)) for c in roots])


def expanded_multiple(draw: Draw) -> KnownGuard:
    """Roots at sixteenths, so that all coefficients are exact and multiple roots stay multiple."""
    low, high = draw.range()
    grid = np.arange(math.ceil(16 * low), math.floor(16 * high) + 1) / 16
    if len(grid) < 8 or max(abs(low), abs(high)) > 8:
        raise Unfit
    chosen = draw.random.choice(grid, size=int(draw.random.integers(1, 3)), replace=False)
    roots = [(float(c), int(draw.random.integers(1, 6 if len(chosen) == 1 else 4))) for c in chosen]
    coefficients = [Fraction(int(draw.random.choice([-1, 1])))]
    for c, times in roots:
        for _ in range(times):
            shifted = [*coefficients, Fraction(0)]
            for k, held in enumerate(coefficients):
                shifted[k + 1] -= held * Fraction(c)
            coefficients = shifted
    if any(Fraction(float(c)) != c for c in coefficients):
        raise Unfit
    places = [Place(c, root_noise(coefficients, c, times)) for c, times in roots]
    return draw.known(written_out(coefficients), exact_polynomial(coefficients), places)


DRIFT_START, DRIFT_SPEED = sympy.Rational(-3, 4), sympy.Rational(1, 2)


def drift(t: float) -> float:
    """y, which coasts in every model."""
    return float(DRIFT_START) + float(DRIFT_SPEED) * t


def of_several(draw: Draw) -> KnownGuard:
    """Circles and products of positions, speeds and the time along a flight: polynomials of the time."""
    if not isinstance(draw.motion, Pushed):
        raise Unfit
    motion, random = draw.motion, draw.random
    t = sympy.Symbol("t")
    exact = [sympy.Rational(Fraction(c).numerator, Fraction(c).denominator)
             for c in (motion.x0, motion.v, motion.a, motion.b)]  # fmt: skip
    x = sum(c * t**k / sympy.factorial(k) for k, c in enumerate(exact))
    when = random.uniform(0, draw.until)
    a, b = (round(value, 6) for value in (motion.position(when), drift(when)))
    r = round(10 ** random.uniform(-3, 0), 9)
    off = round(random.uniform(-1, 1) * r, 9)
    ways: list[Callable[[Symbols], Any]] = [
        lambda s: (s["x"] - a) ** 2 + (s["y"] - b - off) ** 2 - r**2,
        lambda s: (s["x"] - a) * (s["y"] - b) - r * off,
        lambda s: (s["x"] - a) * s["x_rate"] - off,
        lambda s: s["x"] + s["t"] * s["x_rate"] - a - s["y"],
    ]
    write = ways[random.integers(len(ways))]
    along = {"x": x, "x_rate": sympy.diff(x, t), "y": DRIFT_START + DRIFT_SPEED * t, "t": t}
    polynomial = sympy.Poly(sympy.nsimplify(write(along), rational=True), t)
    coefficients = [Fraction(int(c.p), int(c.q)) for c in polynomial.all_coeffs()]
    roots = certified_roots(coefficients, -1e-3, draw.until + 1e-3)
    places = [Place(c, _flight_noise(coefficients, c, draw)) for c in roots]
    return KnownGuard(TIME, write, exact_polynomial(coefficients), tuple(places))


def _flight_noise(coefficients: Sequence[Fraction], root: float, draw: Draw) -> float:
    """Rounding of products of states as large as they get, over the slope in time."""
    plain = np.array([float(c) for c in coefficients])
    motion = draw.motion
    seen = [abs(motion.position(t)) + abs(motion.speed(t)) * (1 + t) for t in (0.0, draw.until / 2, draw.until)]
    size = 3 + abs(drift(draw.until)) + sum(seen)
    slope = abs(float(np.polyval(np.polyder(plain), root)))
    if slope == 0:
        raise Unfit
    return 256 * ROUNDING * size**2 / slope
