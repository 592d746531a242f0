"""Guards with kinks, jumps and tables, one zero behind a function, and guards that are zero all along."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from scipy.interpolate import CubicSpline

import detent
from tests.physics.known_guards import Draw, KnownGuard, Place, Symbols, Unfit, rounding_at
from tests.physics.known_motions import ROUNDING, Pushed
from tests.physics.known_polynomials import random_factored

# -- one zero behind a function --------------------------------------------------------------------------


def behind(draw: Draw) -> KnownGuard:
    """h(s) = h(c): exponential, logarithm, roots, powers, angles."""
    low, high = draw.range()
    c, shift = draw.places[0], 0.25 - low
    width = high - low
    b = draw.random.uniform(0.1, 2) * width
    away = c - draw.random.uniform(-1, 1) * b
    ways: list[tuple[Callable[[Any], Any], Callable[[float], float], float]] = [
        (lambda s: sympy.exp(s / width), lambda s: math.exp(s / width), math.exp(c / width) / width),
        (lambda s: sympy.log(s + shift), lambda s: math.log(s + shift), 1 / (c + shift)),
        (lambda s: sympy.sqrt(s + shift), lambda s: math.sqrt(s + shift), 0.5 / math.sqrt(c + shift)),
        (lambda s: (s + shift) ** sympy.Float(1.3), lambda s: (s + shift) ** 1.3, 1.3 * (c + shift) ** 0.3),
        (lambda s: sympy.atan2(s - away, b), lambda s: math.atan2(s - away, b), b / (b**2 + (c - away) ** 2)),
        (lambda s: sympy.asin((s - low) / width / 2), lambda s: math.asin((s - low) / width / 2), 0.5 / width),
        (lambda s: sympy.tan((s - low) / width), lambda s: math.tan((s - low) / width), 1 / width),
    ]
    write, function, slope = ways[draw.random.integers(len(ways))]
    level = function(c)
    noise = 256 * ROUNDING * (1 + abs(level) + abs(shift) + abs(c)) / slope + rounding_at(c)
    sense = int(draw.random.choice([-1, 1]))
    return draw.known(lambda s: sense * (write(s) - level), lambda s: sense * (s - c), [Place(c, noise)])


# -- splines --------------------------------------------------------------------------------------------


def spline(draw: Draw) -> KnownGuard:
    """A table through random points, with what lies beyond them."""
    random, (low, high) = draw.random, draw.range()
    beyond = str(random.choice(["linear", "hold", "periodic"]))
    inside = random.random() < 0.5 or beyond == "periodic"
    first, last = (low + (high - low) * 0.2, high - (high - low) * 0.3) if inside else (low - 0.1, high + 0.1)
    knots = np.linspace(first, last, int(random.integers(5, 60)))
    values = random.normal(size=len(knots))
    values[-1] = values[0] if beyond == "periodic" else values[-1]
    curve = CubicSpline(knots, values, bc_type="periodic" if beyond == "periodic" else "not-a-knot")
    if np.min(np.abs(curve(curve.derivative().roots(extrapolate=False)))) < 1e-4:
        raise Unfit
    table = detent.tabulated("profile", knots.tolist(), values.tolist(), beyond)  # type: ignore[arg-type]
    zeros = [float(c) for c in curve.roots(extrapolate=False) if math.isfinite(c)]
    period = float(last - first)
    if beyond == "periodic":
        around = range(math.floor((low - last) / period), math.ceil((high - first) / period) + 1)
        zeros = [c + n * period for c in zeros for n in around]
    if beyond == "linear":
        ends = [(end, float(values[k]), float(curve(end, 1))) for end, k in ((first, 0), (last, -1))]
        lines = [end - value / slope for end, value, slope in ends]
        zeros += [at for at, outside in zip(lines, (lines[0] < first, lines[1] > last), strict=True) if outside]

    def value(s: float) -> float:
        if beyond == "periodic":
            return float(curve(first + (s - first) % period))
        held = min(max(s, first), last)
        return float(curve(held)) + (float(curve(held, 1)) * (s - held) if beyond == "linear" else 0.0)

    size = 256 * ROUNDING * (4 + float(np.max(np.abs(values))))
    steep = [abs(value(c + 1e-6 * period) - value(c - 1e-6 * period)) / (2e-6 * period) for c in zeros]
    places = [Place(c, size / k + 4 * rounding_at(c)) for c, k in zip(zeros, steep, strict=True)]
    return draw.known(table, value, places)


# -- pieces ---------------------------------------------------------------------------------------------


def pieces(draw: Draw) -> KnownGuard:
    """Lines or constants from break to break: kinks, steps across zero, walls thinner than a micrometre."""
    random, breaks = draw.random, sorted(draw.places)
    lines = []
    for number in range(len(breaks) + 1):
        slope = float(random.choice([0.0, random.uniform(-3, 3)]))
        value = float(random.choice([-1, 1]) * random.uniform(0.1, 2))
        lines.append((slope, value, breaks[min(number, len(breaks) - 1)]))

    def piece(s: float) -> tuple[float, float, float]:
        return lines[next((n for n, end in enumerate(breaks) if s < end), len(breaks))]

    def value(s: float) -> float:
        slope, at_end, end = piece(s)
        return at_end + slope * (s - end)

    def expression(s: Any) -> Any:
        written = [at_end + slope * (s - sympy.Float(end)) for slope, at_end, end in lines]
        conditions = [s < sympy.Float(end) for end in breaks]
        return sympy.Piecewise(*zip(written, [*conditions, True], strict=True))

    zeros = [(n, end - at_end / slope, (abs(at_end) + abs(slope * end)) / abs(slope))
             for n, (slope, at_end, end) in enumerate(lines) if slope]  # fmt: skip
    own = [Place(c, 64 * ROUNDING * size) for n, c, size in zeros if piece(c) == lines[n]]
    near = [abs(c - end) for _, c, _ in zeros for end in breaks]
    if (near and min(near) < 1e-9) or draw.argument.value(0.0) in breaks:  # a jump at the start has no side before it
        raise Unfit
    return draw.known(expression, value, [*own, *(Place(end, rounding_at(end)) for end in breaks)])


def extremes(draw: Draw) -> KnownGuard:
    """Min and Max of two polynomials, Abs(s - c) - d, and a polynomial times the size of another."""
    random, half = draw.random, max(1, len(draw.places) // 2)
    one = random_factored(draw, draw.places[:half], most=3)
    two = random_factored(draw, draw.places[half:] or draw.places[:1], most=3)
    c, d = draw.places[0], 10 ** random.uniform(-9, 0)
    kind = random.integers(4)
    if kind == 0:
        ends = [Place(c + side * d, rounding_at(abs(c) + d)) for side in (-1, 1)]
        return draw.known(lambda s: sympy.Abs(s - sympy.Float(c)) - sympy.Float(d), lambda s: abs(s - c) - d, ends)
    ways: list[tuple[Callable[[Any, Any], Any], Callable[[float, float], float]]] = [
        (sympy.Min, min), (sympy.Max, max), (lambda p, q: p * sympy.Abs(q), lambda p, q: p * abs(q))
    ]  # fmt: skip
    write, value = ways[kind - 1]
    places = {place.at: place for place in (*one.places, *two.places)}
    return draw.known(
        lambda s: write(one.expression(s), two.expression(s)),
        lambda s: value(one.value(s), two.value(s)),
        places.values(),
    )


def flat(draw: Draw) -> KnownGuard:
    """Zero all along, but for rounding: no event."""
    if not isinstance(draw.motion, Pushed) or draw.motion.a or draw.motion.b:
        raise Unfit
    x0, v = draw.motion.x0, draw.motion.v
    ways: list[Callable[[Symbols], Any]] = [
        lambda s: sympy.Add(sympy.sin(s["x"]) ** 2, sympy.cos(s["x"]) ** 2, -1, evaluate=False),
        lambda s: s["x"] - sympy.Float(x0) - sympy.Float(v) * s["t"],
        lambda s: s["x_rate"] - sympy.Float(v),
        lambda s: sympy.Mul(s["x"] + 1, s["x"] + 1, evaluate=False) - s["x"] ** 2 - 2 * s["x"] - 1,
    ]
    return KnownGuard(draw.argument, ways[draw.random.integers(len(ways))], lambda s: 1.0, ())
