"""Random expressions as recipes, so that one and the same can be built on a graph and worked out in floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from detent.expr import operation as op
from detent.expr.graph import Graph, Node

LEAVES: Final = ("x", "y", "z")

Step = tuple[str, int, int, int]


@dataclass(frozen=True)
class Recipe:
    """Steps on a growing list of values that begins with the leaves and some constants."""

    constants: tuple[float, ...]
    steps: tuple[Step, ...]

    def run(self, start: Sequence[Any], operations: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """Every value of the list, with the given meaning of the operations."""
        made = list(start)
        for name, *chosen in self.steps:
            made.append(operations[name](*(made[number % len(made)] for number in chosen)))
        return made

    def nodes(self, graph: Graph) -> list[Node]:
        start = [*map(graph.leaf, LEAVES), *map(graph.constant, self.constants)]
        return self.run(start, on_graph(graph))

    def floats(self, values: Mapping[str, float]) -> list[float]:
        return self.run([*(values[name] for name in LEAVES), *self.constants], IN_FLOATS)


IN_FLOATS: Final[dict[str, Callable[..., float]]] = {
    "add": lambda a, b, c: a + b,
    "subtract": lambda a, b, c: a - b,
    "multiply": lambda a, b, c: a * b,
    "negate": lambda a, b, c: -a,
    "square": lambda a, b, c: a * a,
    "halve": lambda a, b, c: a / 2.0,
    "double": lambda a, b, c: 2.0 * a,
    "minimum": lambda a, b, c: min(a, b),
    "maximum": lambda a, b, c: max(a, b),
    "absolute": lambda a, b, c: abs(a),
    "select": lambda a, b, c: b if a < c else c,
}


def on_graph(graph: Graph) -> dict[str, Callable[..., Node]]:
    """The same operations on nodes, and more that round."""

    def function(kind: int) -> Callable[..., Node]:
        return lambda a, b, c: graph.function(kind, a)

    return {
        "add": lambda a, b, c: a + b,
        "subtract": lambda a, b, c: a - b,
        "multiply": lambda a, b, c: a * b,
        "negate": lambda a, b, c: -a,
        "square": lambda a, b, c: a**2,
        "halve": lambda a, b, c: a / 2,
        "double": lambda a, b, c: 2 * a,
        "minimum": lambda a, b, c: graph.function2(op.MINIMUM, a, b),
        "maximum": lambda a, b, c: graph.function2(op.MAXIMUM, a, b),
        "absolute": function(op.ABSOLUTE),
        "select": lambda a, b, c: graph.select(graph.function2(op.LESS, a, c), b, c),
        "sin": function(op.SIN),
        "cos": function(op.COS),
        "tanh": function(op.TANH),
        "atan": function(op.ATAN),
        "sign": function(op.SIGN),
        "root": lambda a, b, c: graph.function(op.SQRT, a * a + 1.0),
        "ratio": lambda a, b, c: a / (b * b + 1.0),
        "atan2": lambda a, b, c: graph.function2(op.ATAN2, a, b),
        "both": lambda a, b, c: graph.function2(
            op.BOTH, graph.function2(op.LESS, a, b), graph.function2(op.LESS, b, c)
        ),
        "not": lambda a, b, c: graph.complement(graph.function2(op.LESS_EQUAL, a, b)),
        "either": lambda a, b, c: graph.function2(op.EITHER, graph.function2(op.EQUAL, a, b), a),
    }


def recipes(names: Sequence[str], most: int) -> st.SearchStrategy[Recipe]:
    """Recipes of up to ``most`` steps out of the named operations."""
    places = st.integers(0, 1000)
    steps = st.lists(st.tuples(st.sampled_from(list(names)), places, places, places), min_size=1, max_size=most)
    # Halves and whole numbers: every sum and product of a few of them is exact in floating point.
    constants = st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 4.0]), min_size=1, max_size=3)
    return st.builds(lambda c, s: Recipe(tuple(c), tuple(s)), constants, steps)


def same_number(first: float, second: float) -> bool:
    """Equal bits but for the sign of zero; any NaN equals any other."""
    return first == second or (math.isnan(first) and math.isnan(second))
