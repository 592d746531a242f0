"""Parametric shapes: curves in the plane and surfaces in space, touched at the point that is nearest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, ClassVar, Literal, final

import sympy

from detent.errors import DetentError, ExpressionError
from detent.expr.derivative import partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.expr.tabulated import tabulated
from detent.model.expression import read_expression
from detent.model.outline import Lines, Look, spaced
from detent.model.shape import Complaint, Shape
from detent.model.solid import Solid, sheet

DRAWN = 201
"""Points that a picture of a curve joins."""
LINES = 7
"""Lines each way in a picture of a surface."""
FACES = 24
"""Faces each way of a surface that is built up of flat ones."""
ALONG = {1: 257, 2: 33}
"""Values of each parameter at which a shape is looked at before a run, by the number of parameters."""
FLAT = 1e-9
"""A speed below this part of the largest is none."""
SAMPLES = 257
"""Points at which a closed curve is looked at when it is declared."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Curve(Shape):
    """A curve x(s), y(s) with one face: on the left of its way, or on the right where it is turned round."""

    parameter: Any
    x: Any
    y: Any
    lowest: Any
    highest: Any
    closed: bool = False
    turned: bool = False
    straight_beyond: bool = False
    """Whether x(s) and y(s) go on straight beyond the ends by themselves."""
    is_drawn: Any = None
    """Of a curve that is drawn during a run: the symbol that is 1 when it is, and 0 before."""
    kind: ClassVar[str] = "curve"
    planar: ClassVar[bool] = True

    @property
    def parameters(self) -> tuple[Any, ...]:
        return (self.parameter,)

    @property
    def functions(self) -> tuple[Any, ...]:
        return (self.x, self.y)

    @property
    def sizes(self) -> dict[str, Any]:
        return {"lowest": self.lowest, "highest": self.highest}

    @property
    def structure(self) -> tuple[Any, ...]:
        return (self.kind, self.parameter, self.x, self.y, self.closed, self.turned)

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        along = spaced(sizes["lowest"], sizes["highest"], DRAWN)
        return [look.line(_places(self, look, [(value,) for value in along]))]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from _range_complaints(sizes, str(self.parameter), "lowest", "highest")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Surface(Shape):
    """A surface x(a, b), y(a, b), z(a, b), touched from the side to which dr/da x dr/db points."""

    symbols: tuple[Any, Any]
    x: Any
    y: Any
    z: Any
    ranges: tuple[tuple[Any, Any], tuple[Any, Any]]
    closed: tuple[bool, bool] = (False, False)
    kind: ClassVar[str] = "surface"
    planar: ClassVar[bool] = False

    @property
    def parameters(self) -> tuple[Any, ...]:
        return self.symbols

    @property
    def functions(self) -> tuple[Any, ...]:
        return (self.x, self.y, self.z)

    @property
    def sizes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, (lowest, highest) in enumerate(self.ranges, 1):
            found |= {f"lowest {number}": lowest, f"highest {number}": highest}
        return found

    @property
    def structure(self) -> tuple[Any, ...]:
        return (self.kind, *self.parameters, *self.functions, *self.closed)

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        """Its edges, and lines between them."""
        bounds = [(sizes[f"lowest {number}"], sizes[f"highest {number}"]) for number in (1, 2)]
        first, second = (spaced(*ends, DRAWN) for ends in bounds)
        lines = [[(a, b) for b in second] for a in spaced(*bounds[0], LINES)]
        lines += [[(a, b) for a in first] for b in spaced(*bounds[1], LINES)]
        return [look.line(_places(self, look, line)) for line in lines]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        first, second = (spaced(sizes[f"lowest {number}"], sizes[f"highest {number}"], FACES + 1) for number in (1, 2))
        rows = [_places(self, look, [(a, b) for b in second]) for a in first]
        return sheet([[(x, y, z) for x, y, z in row] for row in rows])

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        for number, parameter in enumerate(self.parameters, 1):
            yield from _range_complaints(sizes, str(parameter), f"lowest {number}", f"highest {number}")


def _places(shape: Curve | Surface, look: Look, values: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """The places of a shape at some values of its parameters."""
    graph = Graph()
    symbols = {symbol for function in shape.functions for symbol in function.free_symbols} | set(shape.parameters)
    convert = FromSympy(graph, {symbol: graph.leaf(str(symbol)) for symbol in symbols})
    nodes, names = [convert(function) for function in shape.functions], [str(symbol) for symbol in shape.parameters]
    known = [{**look.parameters, **dict(zip(names, row, strict=True))} for row in values]
    return [tuple(map(float, evaluate_nodes(nodes, given))) for given in known]


def course_complaints(
    shape: Curve | Surface, sizes: Mapping[str, float], values: Mapping[str, float]
) -> Iterator[Complaint]:
    """What is wrong with the points of a parametric shape: some have no value, or their slopes give no normal."""
    graph = Graph()
    symbols = {symbol for function in shape.functions for symbol in function.free_symbols} | set(shape.parameters)
    leaves = {symbol: graph.leaf(str(symbol)) for symbol in symbols}
    own = [leaves[symbol] for symbol in shape.parameters]
    place = [FromSympy(graph, leaves)(function) for function in shape.functions]
    slopes = [partial(part, leaf) for leaf in own for part in place]
    ends = [("lowest", "highest")] if len(own) == 1 else [(f"lowest {k}", f"highest {k}") for k in (1, 2)]
    axes = [spaced(sizes[low], sizes[high], ALONG[len(own)]) for low, high in ends]
    names, found = [str(symbol) for symbol in shape.parameters], []
    for row in product(*axes):
        given = {**values, **dict(zip(names, row, strict=True))}
        numbers = evaluate_nodes([*place, *slopes], given)
        told = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, row, strict=True))
        if not all(map(math.isfinite, numbers)):
            yield f"it has no point or no slope at {told}", "mend its expressions, or give it another range"
            return
        found.append((_stretch(numbers[len(place) :]), told))
    least, told = min(found)
    if least <= FLAT * max(found)[0]:
        yield (
            f"it stands still at {told}, so that it has no normal there",
            "write it with a parameter along which it goes on everywhere, or leave that place out of its range",
        )


def check_spread(where: str, shape: Curve | Surface) -> None:
    """That a curve or surface goes on with its parameters somewhere; one that never does has no normal anywhere."""
    graph = Graph()
    symbols = {symbol for function in shape.functions for symbol in function.free_symbols} | set(shape.parameters)
    leaves = {symbol: graph.leaf(str(symbol)) for symbol in symbols}
    try:
        place = [FromSympy(graph, leaves)(function) for function in shape.functions]
        slopes = [[partial(part, leaves[symbol]) for part in place] for symbol in shape.parameters]
    except ExpressionError:
        return  # what is wrong with it is told with all that is wrong with the model
    found = ", ".join(f"{letter} = {function}" for letter, function in zip("xyz", shape.functions, strict=False))
    if isinstance(shape, Curve) and all(slope.is_zero for slope in slopes[0]):
        raise DetentError(
            f"{where}: it stands still, for {found} do not change with {shape.parameter}; give expressions of "
            f"{shape.parameter}, or use point(at) for a point"
        )
    if isinstance(shape, Surface):
        (a, b, c), (d, e, f) = slopes
        if all(part.is_zero for part in (b * f - c * e, c * d - a * f, a * e - b * d)):
            both = " and ".join(map(str, shape.parameters))
            raise DetentError(
                f"{where}: it is a line or a point, for with {found} it does not go different ways along {both}; give "
                "expressions of both that do, or use another shape, such as point(at) or capsule(radius, length)"
            )


def _stretch(slopes: list[float]) -> float:
    """How much of a curve or surface there is per unit of its parameters."""
    if len(slopes) == 2:
        return math.hypot(*slopes)
    (a, b, c), (d, e, f) = slopes[:3], slopes[3:]
    return math.hypot(b * f - c * e, c * d - a * f, a * e - b * d)


def _range_complaints(sizes: Mapping[str, float], name: str, lowest: str, highest: str) -> Iterator[Complaint]:
    if not -math.inf < sizes[lowest] < sizes[highest] < math.inf:
        found = f"its {name} goes from {sizes[lowest]:.6g} to {sizes[highest]:.6g}"
        yield found, "give it a finite range, the smaller value first"


def checked_parameter(where: str, parameter: Any) -> Any:
    """The symbol of a parametric shape, which is no quantity of a system."""
    if not isinstance(parameter, sympy.Symbol) or hasattr(parameter, "owner"):
        found = f"its parameter is {parameter!r}"
        raise DetentError(f"{where}: {found}; give a symbol of its own, such as sympy.Symbol('s')")
    return parameter


def checked_range(where: str, between: Any) -> tuple[Any, Any]:
    """The two ends of a parameter's range."""
    if isinstance(between, str) or not isinstance(between, Sequence) or len(between) != 2:
        raise DetentError(f"{where}: its range is {between!r}; give two values, such as (0, 1)")
    return read_expression(where, between[0]), read_expression(where, between[1])


def goes_round_to_the_left(where: str, curve: Curve, values: Mapping[Any, Any]) -> bool:
    """Whether a closed curve goes round counter-clockwise, for given parameters of the system."""
    graph = Graph()
    leaf = graph.leaf("s")
    convert = FromSympy(graph, {curve.parameter: leaf})
    try:
        x, y = (convert(read_expression(where, each).subs(dict(values))) for each in curve.functions)
        low, high = (float(each.subs(dict(values))) for each in (curve.lowest, curve.highest))
    except (DetentError, TypeError, ValueError) as error:
        raise DetentError(f"{where}: a closed curve needs values where it is declared ({error})") from None
    way = [evaluate_nodes([x, y], {"s": low + (high - low) * k / (SAMPLES - 1)}) for k in range(SAMPLES)]
    across = max(math.dist(way[0], place) for place in way)
    if math.dist(way[0], way[-1]) > 1e-9 * across:
        raise DetentError(
            f"{where}: it is closed, but starts at ({way[0][0]:.6g}, {way[0][1]:.6g}) and ends at "
            f"({way[-1][0]:.6g}, {way[-1][1]:.6g}); give it a range after which it is back"
        )
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in pairwise(way)) > 0


def spline_through(where: str, points: Sequence[Any], closed: bool) -> tuple[Any, Any, Any, tuple[float, float]]:
    """A symbol, two functions of it and its range: cubic splines through points, over the length of their polygon."""
    try:
        places = [(float(x), float(y)) for x, y in points]
    except (TypeError, ValueError, OverflowError):
        raise DetentError(f"{where}: its points are {points!r}; give pairs of numbers, such as [(0, 0), ...]") from None
    if closed and places and places[0] != places[-1]:
        places.append(places[0])
    at = [0.0]
    for before, place in pairwise(places):
        at.append(at[-1] + math.dist(before, place))
    if len(places) < 4 or any(b <= a for a, b in pairwise(at)):
        raise DetentError(f"{where}: it has {len(places)} points; give four or more, no two following ones the same")
    symbol = sympy.Symbol("length")
    beyond: Literal["periodic", "linear"] = "periodic" if closed else "linear"
    x, y = (tabulated(f"profile_{k}", at, [place[n] for place in places], beyond) for n, k in enumerate("xy"))
    return symbol, x(symbol), y(symbol), (0.0, at[-1])
