"""The quantities of a system on the graph, and how they change with time.

u = Y q' + Z is turned round to q' = W u + X here, once, so that the rate of anything can be split into
the part that each speed brings and a remainder (prescribed motion): the basis of Kane's partial
velocities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from detent.errors import ExpressionError, Fault, ModelError
from detent.expr import operation as op
from detent.expr.derivative import Derivative, partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph, Node
from detent.expr.linear import invert
from detent.expr.substitute import substitute
from detent.model.contact_measure import ContactMeasure
from detent.model.input import Held, Sampled
from detent.model.quantity import Coordinate, Discrete, Input, Parameter, Reaction, Signal, Speed
from detent.model.system import System


def multiplier_name(row: str) -> str:
    """What the multiplier of a row is called where it is a part of the state.

    >>> multiplier_name("rod")
    'multiplier of rod'
    """
    return f"multiplier of {row}"


class Quantities:
    """Leaves for all quantities of a system, and their rates.

    ``carried`` are rows whose multipliers are states too: signals at rest, unless a formulation gives them rates.
    """

    def __init__(self, system: System, carried: Sequence[str] = ()) -> None:
        self.system = system
        self.graph = graph = Graph()
        definitions = system.all_speeds()
        self.parameters: list[Parameter] = list(system.parameter_values)
        self.coordinates: list[Coordinate] = list(system.coordinate_list)
        self.speeds: list[Speed] = list(definitions)
        self.signals: list[Signal] = [
            *system.signal_rates, *(Signal(system, multiplier_name(row)) for row in carried)
        ]  # fmt: skip
        self.inputs: list[Input] = list(system.input_rules)
        self.time = graph.leaf("t")
        self.discrete: list[Discrete] = list(system.discrete_states)
        symbols = [*self.parameters, *self.coordinates, *self.speeds, *self.signals, *self.discrete]
        self.switches = {name: graph.leaf(f"{name} acts") for name in system.switched_loads}
        """One (acts) or zero for every load that comes and goes."""
        leaves = {symbol: graph.leaf(symbol.name) for symbol in symbols}
        self.convert = FromSympy(graph, {system.time: self.time, **leaves})
        self.q = [leaves[symbol] for symbol in self.coordinates]
        self.u = [leaves[symbol] for symbol in self.speeds]
        self.s = [leaves[symbol] for symbol in self.signals]
        self.run_inputs: list[Input] = []
        """Inputs whose value is set from outside during a run, not by an expression."""
        self.jumping_inputs = [s for s, rule in system.input_rules.items() if isinstance(rule, (Held, Sampled))]
        """Inputs that are sampled and held: they may push, but nothing may be placed by them."""
        for symbol, rule in system.input_rules.items():
            if isinstance(rule, (Held, Sampled)) or rule.is_number:
                self.run_inputs.append(symbol)
                self.convert.define(symbol, graph.leaf(symbol.name))
            else:
                self.convert.define(symbol, self.convert(rule))
        self._partials: dict[Node, Derivative] = {}
        self.W, self.X = self._invert_speeds(definitions)
        self.q_rates = [graph.dot(row, self.u) + rest for row, rest in zip(self.W, self.X, strict=True)]
        for coordinate, rate in zip(self.coordinates, self.q_rates, strict=True):
            self.convert.define(coordinate.rate, rate)
        self.s_rates = [self._signal_rate(symbol) for symbol in self.signals]
        self._change = Derivative(
            graph,
            {self.time: graph.one, **dict(zip(self.q, self.q_rates, strict=True)),
             **dict(zip(self.s, self.s_rates, strict=True))},
        )  # fmt: skip
        self.bound: dict[Node, Node] = {}
        """Leaves that stand for other nodes: measures, and their rates."""
        self.sums: set[Node] = set()
        """Of these leaves those that may be far smaller than the terms they are the sum of: gaps."""
        self.told_by_rates: set[Node] = set()
        """What has a sign by its value and its rate alone, where it is a guard: no second derivative is asked for."""
        self.reactions: dict[str, Node] = {}
        """Leaves of the reactions that loads speak of, by the row's name; they stand for zero in f (see rows)."""
        self.reaction_leaves = 0
        """All of them, as a set of leaves."""
        self._measures: dict[Node, None] = {}
        self._rate_leaves: dict[Node, Node] = {}
        """Of measures whose rates are known: which one has a leaf as its rate."""
        self._rates_of_measures = 0
        self._moves: dict[Node, tuple[dict[int, Node], Node]] = {self.time: ({}, graph.one)}
        for leaf, row, rest in zip(self.q, self.W, self.X, strict=True):
            self._moves[leaf] = ({r: value for r, value in enumerate(row) if not value.is_zero}, rest)

    def _signal_rate(self, symbol: Signal) -> Node:
        """The rate of a signal; of one that follows a contact it shows when the motion is known (:meth:`follow`)."""
        rate = self.system.signal_rates.get(symbol, 0)  # multipliers that are carried along have none of their own
        return self.graph.leaf(rate.name) if isinstance(rate, ContactMeasure) else self.convert(rate)

    @cached_property
    def drift(self) -> Derivative:
        """d/dt of an expression while the signals that follow contacts are held."""
        signals = {leaf: rate for leaf, rate in zip(self.s, self.s_rates, strict=True) if leaf not in self.followed}
        rates = dict(zip(self.q, self.q_rates, strict=True))
        return Derivative(self.graph, {self.time: self.graph.one, **rates, **signals})

    def follow(self, name: str, rate: Node) -> None:
        """Let a signal change at a rate that was worked out only now; nothing with it has been differentiated yet."""
        number = [symbol.name for symbol in self.signals].index(name)
        self.s_rates[number] = rate
        self._change.add(self.s[number], rate)

    @property
    def followed(self) -> list[Node]:
        """The signals that follow contacts: coordinates of nearest points."""
        rates = self.system.signal_rates
        return [leaf for s, leaf in zip(self.signals, self.s, strict=True) if isinstance(rates.get(s), ContactMeasure)]

    # -- speeds ------------------------------------------------------------------------------

    def _invert_speeds(self, definitions: dict[Speed, Any]) -> tuple[list[list[Node]], list[Node]]:
        """W and X of q' = W u + X from the definitions u = Y q' + Z."""
        graph = self.graph
        rates = [graph.leaf(coordinate.rate.name) for coordinate in self.coordinates]
        symbols = [coordinate.rate for coordinate in self.coordinates]
        reader = FromSympy(graph, {**self._plain_leaves(), **dict(zip(symbols, rates, strict=True))})
        defined = [number for number, speed in enumerate(self.speeds) if definitions[speed] is not None]
        self._check_jumps(definitions)
        right = [reader(definitions[self.speeds[number]]) for number in defined]
        Y = [[partial(row, rate) for rate in rates] for row in right]
        self._check_definitions(defined, Y, rates)
        Z = [substitute(row, dict.fromkeys(rates, graph.zero)) for row in right]
        try:
            inverse = invert(graph, Y, self.sample())
        except ExpressionError:
            raise ModelError([self._not_invertible(defined)]) from None
        W = [[graph.zero] * len(self.speeds) for _ in self.coordinates]
        X = []
        for i, row in enumerate(inverse):
            for j, value in zip(defined, row, strict=True):
                W[i][j] = value
            X.append(-graph.dot(row, Z))
        self._check_inverse(defined, W)
        return W, X

    def _plain_leaves(self) -> dict[Any, Node]:
        """What may stand in a speed's definition besides rates: anything but speeds and inputs that jump."""
        symbols = [*self.parameters, *self.coordinates, *self.signals, *self.inputs, *self.discrete]
        steady = [symbol for symbol in symbols if symbol not in self.jumping_inputs]
        return {self.system.time: self.time, **{symbol: self.convert(symbol) for symbol in steady}}

    def _check_jumps(self, definitions: dict[Speed, Any]) -> None:
        faults = [
            Fault(
                f"speed '{speed}'",
                f"its definition holds the input '{symbol}', which is sampled and held, so q' would jump",
                "use inputs that are expressions of time there",
            )
            for speed, definition in definitions.items()
            for symbol in self.jumping_inputs
            if definition is not None and symbol in definition.free_symbols
        ]
        if faults:
            raise ModelError(faults)

    def _check_definitions(self, defined: list[int], Y: list[list[Node]], rates: list[Node]) -> None:
        moving = 0
        for rate in rates:
            moving |= rate.leaves
        faults = [
            Fault(
                f"speed '{self.speeds[number]}'",
                "its definition is not linear in the coordinates' rates",
                "define it as u = Y q' + Z with Y and Z free of rates",
            )
            for number, line in zip(defined, Y, strict=True)
            if any(value.leaves & moving for value in line)
        ]
        if len(defined) != len(self.coordinates):
            faults.append(
                Fault(
                    f"system '{self.system.name}'",
                    f"{len(defined)} speeds are defined by rates of {len(self.coordinates)} coordinates",
                    "define exactly one speed per coordinate (or none: each then gets its own rate)",
                )
            )
        if faults:
            raise ModelError(faults)

    def _check_inverse(self, defined: list[int], W: list[list[Node]]) -> None:
        values = evaluate_nodes([value for row in W for value in row], self.sample())
        if not all(math.isfinite(value) for value in values):
            raise ModelError([self._not_invertible(defined)])

    def _not_invertible(self, defined: list[int]) -> Fault:
        names = ", ".join(f"'{self.speeds[number]}'" for number in defined)
        return Fault(
            f"speeds {names}",
            "their definitions u = Y q' + Z cannot be solved for the rates q' (Y is singular)",
            "make the definitions independent of one another, each coordinate's rate in at least one",
        )

    # -- rates -------------------------------------------------------------------------------

    def change(self, node: Node) -> Node:
        """d/dt of an expression in coordinates, signals and time; of one with speeds, the part without u'."""
        return self._change(node)

    def parts(self, node: Node) -> tuple[dict[int, Node], Node]:
        """The rate of an expression as a coefficient per speed (by number) and a remainder."""
        graph = self.graph
        coefficients: dict[int, Node] = {}
        remainder = graph.zero
        for leaf in [self.time, *self.q, *self.s, *self._measures]:
            if not node.leaves & leaf.leaves:
                continue
            slope = self._partial(leaf)(node)
            if slope.is_zero:
                continue
            each, rest = self._leaf_parts(leaf)
            for r, value in each.items():
                coefficients[r] = coefficients.get(r, graph.zero) + slope * value
            remainder = remainder + slope * rest
        return {r: value for r, value in coefficients.items() if not value.is_zero}, remainder

    def linear_parts(self, node: Node, where: str) -> tuple[dict[int, Node], Node]:
        """Coefficients and remainder of an expression that must be linear in the speeds."""
        coefficients = {}
        for r, leaf in enumerate(self.u):
            if node.leaves & leaf.leaves:
                slope = self._partial(leaf)(node)
                if slope.leaves & self._speed_leaves():
                    fault = Fault(where, "it is not linear in the speeds", "write it as a sum of speeds times factors")
                    raise ModelError([fault])
                if not slope.is_zero:
                    coefficients[r] = slope
        # A speed whose coefficient has come out as zero may still stand in the expression, in terms that cancel.
        return coefficients, substitute(node, dict.fromkeys(self.u, self.graph.zero))

    def motion_parts(self, node: Node) -> tuple[dict[int, Node], Node, bool]:
        """The slope of an expression along each speed, what B u lacks to it, and whether it is linear in the speeds."""
        slopes = {r: self._partial(leaf)(node) for r, leaf in enumerate(self.u) if node.leaves & leaf.leaves}
        coefficients = {r: slope for r, slope in slopes.items() if not slope.is_zero}
        if not any(slope.leaves & self._speed_leaves() for slope in coefficients.values()):
            return coefficients, substitute(node, dict.fromkeys(self.u, self.graph.zero)), True
        along = self.graph.dot(list(coefficients.values()), [self.u[r] for r in coefficients])
        return coefficients, node - along, False

    def reaction(self, symbol: Reaction) -> Node:
        """The leaf of a reaction that a load speaks of."""
        leaf = self.graph.leaf(symbol.name)
        self.reactions[symbol.name.removeprefix("reaction of ")] = leaf
        self.reaction_leaves |= leaf.leaves
        self.bound[leaf] = self.graph.zero
        return leaf

    def bind(self, leaf: Node, value: Node, rate: Node, coefficients: dict[int, Node], remainder: Node) -> None:
        """Let a new leaf stand for a value whose rate is known: ``rate``, the sum of coefficients times speeds."""
        if leaf in self._moves:
            return
        self._moves[leaf] = (coefficients, remainder)
        self.bound[leaf] = value
        self._measures[leaf] = None
        self._rate_leaves.setdefault(rate, leaf)
        self._change.add(leaf, rate)

    def size(self, leaf: Node) -> Node:
        """The size of the terms that a leaf is the sum of, to first order; of a state, its own."""
        graph = self.graph
        if leaf not in self.sums:
            return graph.function(op.ABSOLUTE, leaf)
        value, total = self.bound[leaf], graph.zero
        for each in [self.time, *self.q, *self.s]:
            if value.leaves & each.leaves:
                total = total + graph.function(op.ABSOLUTE, self._partial(each)(value) * each)
        return total

    def bind_rate(self, leaf: Node, value: Node, change: Node) -> None:
        """Let a new leaf stand for a rate whose own rate, but for the terms in u', is known."""
        self.bound[leaf] = value
        self._rates_of_measures |= leaf.leaves
        self._change.add(leaf, change)

    def measures(self) -> list[Node]:
        """The leaves of all measures so far, and of their rates."""
        known = [*self._measures]
        return [*known, *map(self._change, known)]

    def speed_parts(self, leaf: Node) -> tuple[dict[int, Node], Node] | None:
        """The rate of a coordinate or measure: its coefficient per speed, and the remainder; None for others."""
        return self._moves[leaf] if leaf in self.q or leaf in self._measures else None

    def acceleration_parts(self, leaf: Node) -> tuple[dict[int, Node], Node] | None:
        """The rate of a measure's rate: its coefficient per u', and the remainder; None for other leaves."""
        measure = self._rate_leaves.get(leaf)
        return None if measure is None else (self._moves[measure][0], self._change(leaf))

    @cached_property
    def turn(self) -> list[Node]:
        """How each coordinate and each part of a quaternion changes per unit of each speed, row by row.

        So do coordinates of nearest points. Other signals are no configuration: a correction of positions leaves them
        alone.
        """
        columns = range(len(self.u))
        moved = {self.convert(part) for parts in self.system.quaternions for part in parts} | set(self.followed)
        table = []
        for leaf in [*self.q, *self.s]:
            parts = self._leaf_parts(leaf)[0] if leaf in self.q or leaf in moved else {}
            table += [parts.get(r, self.graph.zero) for r in columns]
        return table

    def depends_on_speeds(self, node: Node) -> bool:
        """Whether an expression holds any speed."""
        return bool(node.leaves & (self._speed_leaves() | self._rates_of_measures))

    def forget(self) -> None:
        """Let go of what was worked out for expressions that nobody holds any more."""
        self.convert.forget()
        for derivative in (self._change, *self._partials.values()):
            derivative.forget()
        self.graph.forget()

    def _leaf_parts(self, leaf: Node) -> tuple[dict[int, Node], Node]:
        if leaf not in self._moves:
            number = self.s.index(leaf)
            where = f"signal '{self.signals[number]}'"
            self._moves[leaf] = self.linear_parts(self.s_rates[number], where)
        return self._moves[leaf]

    def _partial(self, leaf: Node) -> Derivative:
        if leaf not in self._partials:
            self._partials[leaf] = Derivative(self.graph, {leaf: self.graph.one})
        return self._partials[leaf]

    def _speed_leaves(self) -> int:
        together = 0
        for leaf in self.u:
            together |= leaf.leaves
        return together

    # -- numbers -----------------------------------------------------------------------------

    def sample(self) -> dict[str, float]:
        """A state with nothing special about it, for checks that need numbers; parameters at their values."""
        names = ["t", *(str(s) for s in [*self.coordinates, *self.speeds, *self.signals, *self.inputs, *self.discrete])]
        names += [f"{name} acts" for name in self.switches]
        names += [coordinate.rate.name for coordinate in self.coordinates]
        values = {name: 0.3 + 0.7 * math.modf(0.6180339887 * (number + 1))[0] for number, name in enumerate(names)}
        for number, (symbol, value) in enumerate(self.system.parameter_values.items()):
            try:
                values[symbol.name] = float(value)
            except (TypeError, ValueError):
                values[symbol.name] = 0.5 + math.modf(0.7548776662 * (number + 1))[0]
        return values
