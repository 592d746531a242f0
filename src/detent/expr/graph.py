"""The expression graph: detent's intermediate form between SymPy and machine code.

A :class:`Graph` holds scalar nodes and makes each distinct operation once (hash-consing), so common
subexpressions exist once by construction and no later pass has to look for them. Only the folding
that keeps derivatives and matrices small is done here (constants, zeros, ones, signs); this is a
compiler's intermediate form, not a computer algebra system.
"""

from __future__ import annotations

import itertools
import math
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.drawn_table import AnyTable
from detent.expr.elementary import Operation
from detent.expr.table import Table

Number: TypeAlias = int | float


class Node:
    """One scalar value in a graph. Made only by its :class:`Graph`; compared by identity.

    ``leaves`` is a bit set of the leaves the node depends on, so that "does it depend on q1" is one
    bitwise and, and derivatives skip what cannot change.
    """

    __slots__ = ("__weakref__", "arguments", "graph", "index", "leaves", "name", "operation", "table", "value")

    graph: Graph
    operation: int
    arguments: tuple[Node, ...]
    index: int
    leaves: int
    value: float
    name: str
    table: tuple[AnyTable, int] | None

    @property
    def is_zero(self) -> bool:
        return self.operation == op.CONSTANT and self.value == 0.0

    @property
    def is_constant(self) -> bool:
        return self.operation == op.CONSTANT

    def __add__(self, other: Node | Number) -> Node:
        return self.graph.add(self, other)

    def __radd__(self, other: Number) -> Node:
        return self.graph.add(self, other)

    def __sub__(self, other: Node | Number) -> Node:
        return self.graph.subtract(self, other)

    def __rsub__(self, other: Number) -> Node:
        return self.graph.subtract(other, self)

    def __mul__(self, other: Node | Number) -> Node:
        return self.graph.multiply(self, other)

    def __rmul__(self, other: Number) -> Node:
        return self.graph.multiply(self, other)

    def __truediv__(self, other: Node | Number) -> Node:
        return self.graph.divide(self, other)

    def __rtruediv__(self, other: Number) -> Node:
        return self.graph.divide(other, self)

    def __neg__(self) -> Node:
        return self.graph.negate(self)

    def __pow__(self, exponent: Node | Number) -> Node:
        return self.graph.power(self, exponent)

    def __repr__(self) -> str:
        if self.operation == op.CONSTANT:
            return repr(self.value)
        if self.operation == op.LEAF:
            return self.name
        return f"<{op.NAMES[self.operation]} #{self.index} of {len(self.arguments)}>"


class Graph:
    """A set of scalar nodes in which equal expressions are one node.

    >>> graph = Graph()
    >>> x = graph.leaf("x")
    >>> (x + 1) * (x + 1) is (1 + x) ** 2
    True
    >>> (x - x) * 7 is graph.zero
    True
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}
        self._leaf_names: list[str] = []
        self._making_leaf = threading.Lock()
        self._numbers = itertools.count()
        self._kept, self._first_young = 0, 0
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    def __len__(self) -> int:
        """The number of nodes, the constants 0 and 1 included."""
        return len(self._nodes)

    # -- letting nodes go --------------------------------------------------------------------

    def keep(self) -> None:
        """Nodes made so far stay, whoever holds them; those made from now on are young."""
        self._kept, self._first_young = len(self._nodes), next(self._numbers)

    @property
    def young(self) -> int:
        """How many nodes there are that were made since :meth:`keep`."""
        return len(self._nodes) - self._kept

    def is_young(self, node: Node) -> bool:
        """Whether a node may be let go when nobody holds it."""
        return node.index >= self._first_young and node.operation != op.LEAF

    def forget(self) -> None:
        """Let go of young nodes that nobody holds: a graph that lives long would keep all that was ever written.

        A node that is asked for again is made again. Where another thread makes one meanwhile there may be two of it,
        which costs time and changes no value.

        >>> graph = Graph()
        >>> x = graph.leaf("x")
        >>> graph.keep()
        >>> kept, written = x + 1, [x * 2 + 5, 7 - x]
        >>> del written
        >>> graph.forget()
        >>> graph.young, x + 1 is kept
        (1, True)
        """
        found = list(itertools.islice(reversed(self._nodes.items()), self.young))
        young = sorted(((node.index, key) for key, node in found if self.is_young(node)), key=lambda pair: pair[0])
        del found
        while young:  # what was made last first: it holds what it was made of, and so does its key
            _, key = young.pop()
            held = weakref.ref(self._nodes.pop(key))
            node = held()
            if node is not None:
                self._nodes.setdefault(key, node)
            del node

    # -- making nodes ------------------------------------------------------------------------

    def _new(self, key: tuple[object, ...], operation: int, arguments: tuple[Node, ...]) -> Node:
        node = Node()
        node.graph = self
        node.operation = operation
        node.arguments = arguments
        node.index = next(self._numbers)
        leaves = arguments[0].leaves if arguments else 0
        for argument in arguments:
            if argument.leaves is not leaves:  # many have the same, which are kept once
                leaves |= argument.leaves
        node.leaves = leaves
        node.value = math.nan
        node.name = ""
        node.table = None
        # setdefault: when two threads make the same node at once, both get the first one.
        return self._nodes.setdefault(key, node)

    def _unary(self, operation: int, a: Node) -> Node:
        key = (operation, a)
        return self._nodes.get(key) or self._new(key, operation, (a,))

    def _binary(self, operation: int, a: Node, b: Node) -> Node:
        key = (operation, a, b)
        return self._nodes.get(key) or self._new(key, operation, (a, b))

    def _commutative(self, operation: int, a: Node, b: Node) -> Node:
        return self._binary(operation, a, b) if a.index <= b.index else self._binary(operation, b, a)

    def constant(self, value: Number) -> Node:
        """The node of a number."""
        number = float(value) + 0.0  # turns -0.0 into 0.0, so that there is one zero
        if math.isnan(number):
            raise ExpressionError("an expression holds the constant NaN; check the numbers it was made from")
        key = (op.CONSTANT, number)
        node = self._nodes.get(key)
        if node is None:
            node = self._new(key, op.CONSTANT, ())
            node.value = number
        return node

    def leaf(self, name: str) -> Node:
        """The node of a named run-time value: a state, a parameter, the time."""
        key = (op.LEAF, name)
        with self._making_leaf:  # each leaf needs a bit of its own, whichever thread makes it
            node = self._nodes.get(key)
            if node is None:
                node = self._new(key, op.LEAF, ())
                node.name = name
                node.leaves = 1 << len(self._leaf_names)
                self._leaf_names.append(name)
        return node

    def node(self, value: Node | Number) -> Node:
        """The value itself if it is a node, otherwise the constant."""
        return value if isinstance(value, Node) else self.constant(value)

    def leaf_names(self, node: Node) -> tuple[str, ...]:
        """The names of the leaves a node depends on."""
        return tuple(name for bit, name in enumerate(self._leaf_names) if node.leaves >> bit & 1)

    # -- arithmetic --------------------------------------------------------------------------

    def add(self, first: Node | Number, second: Node | Number) -> Node:
        a = first if isinstance(first, Node) else self.constant(first)
        b = second if isinstance(second, Node) else self.constant(second)
        if a.operation == op.CONSTANT:
            a, b = b, a
        if b.operation == op.CONSTANT:
            if b.value == 0.0:
                return a
            if a.operation == op.CONSTANT:
                return self.constant(a.value + b.value)
        if b.operation == op.NEGATE:
            return self.subtract(a, b.arguments[0])
        if a.operation == op.NEGATE:
            return self.subtract(b, a.arguments[0])
        if a is b:
            return self.multiply(self.constant(2.0), a)
        return self._commutative(op.ADD, a, b)

    def subtract(self, first: Node | Number, second: Node | Number) -> Node:
        a = first if isinstance(first, Node) else self.constant(first)
        b = second if isinstance(second, Node) else self.constant(second)
        if a is b:
            return self.zero
        if b.operation == op.CONSTANT:
            if b.value == 0.0:
                return a
            return self.add(a, self.constant(-b.value))
        if a.is_zero:
            return self.negate(b)
        if b.operation == op.NEGATE:
            return self.add(a, b.arguments[0])
        if a.operation == op.NEGATE:
            return self.negate(self.add(a.arguments[0], b))
        return self._binary(op.SUBTRACT, a, b)

    def multiply(self, first: Node | Number, second: Node | Number) -> Node:
        a = first if isinstance(first, Node) else self.constant(first)
        b = second if isinstance(second, Node) else self.constant(second)
        if b.operation == op.CONSTANT:
            a, b = b, a
        if a.operation == op.CONSTANT:
            return self._scale(a.value, b)
        if a.operation == op.NEGATE:
            return self.negate(self.multiply(a.arguments[0], b))
        if b.operation == op.NEGATE:
            return self.negate(self.multiply(a, b.arguments[0]))
        return self._commutative(op.MULTIPLY, a, b)

    def _scale(self, factor: float, b: Node) -> Node:
        if factor == 0.0:
            return self.zero
        if factor == 1.0:
            return b
        if b.operation == op.CONSTANT:
            return self.constant(factor * b.value)
        if factor == -1.0:
            return self.negate(b)
        if b.operation == op.NEGATE:
            return self._scale(-factor, b.arguments[0])
        if factor < 0.0:
            return self.negate(self._scale(-factor, b))
        if b.operation == op.MULTIPLY and b.arguments[0].operation == op.CONSTANT:
            return self._scale(factor * b.arguments[0].value, b.arguments[1])
        return self._binary(op.MULTIPLY, self.constant(factor), b)

    def divide(self, first: Node | Number, second: Node | Number) -> Node:
        a, b = self.node(first), self.node(second)
        if b.operation == op.CONSTANT:
            if b.value == 0.0:
                raise ExpressionError("an expression divides by the constant zero; rewrite it so that it does not")
            if a.operation == op.CONSTANT:
                return self.constant(a.value / b.value)
            # The reciprocal of a power of two is exact, unless it is too large to be a number.
            if math.frexp(b.value)[0] in (0.5, -0.5) and abs(b.value) >= 2.0**-1023:
                return self._scale(1.0 / b.value, a)
        if a.is_zero:
            return self.zero
        if a is b:
            return self.one
        if a.operation == op.NEGATE:
            return self.negate(self.divide(a.arguments[0], b))
        if b.operation == op.NEGATE:
            return self.negate(self.divide(a, b.arguments[0]))
        return self._binary(op.DIVIDE, a, b)

    def negate(self, first: Node | Number) -> Node:
        a = self.node(first)
        if a.operation == op.CONSTANT:
            return self.constant(-a.value)
        if a.operation == op.NEGATE:
            return a.arguments[0]
        if a.operation == op.SUBTRACT:
            return self.subtract(a.arguments[1], a.arguments[0])
        return self._unary(op.NEGATE, a)

    def power(self, base: Node | Number, exponent: Node | Number) -> Node:
        """base ** exponent; whole and half exponents become products and square roots."""
        a, b = self.node(base), self.node(exponent)
        if b.operation == op.CONSTANT:
            twice = 2.0 * b.value
            if twice.is_integer() and abs(twice) <= 128:
                return self._whole_and_half_power(a, int(twice))
            if a.operation == op.CONSTANT:
                return self._fold(op.POWER, a, b)
        return self._binary(op.POWER, a, b)

    def _whole_and_half_power(self, a: Node, twice: int) -> Node:
        if twice < 0:
            return self.divide(self.one, self._whole_and_half_power(a, -twice))
        result = self.one if twice % 2 == 0 else self.function(op.SQRT, a)
        square, whole = a, twice // 2
        while whole:
            if whole & 1:
                result = self.multiply(result, square)
            whole >>= 1
            if whole:
                square = self.multiply(square, square)
        return result

    def _fold(self, operation: int, *arguments: Node) -> Node:
        from detent.expr.evaluate import apply_operation  # evaluate imports graph

        try:
            return self.constant(apply_operation(operation, tuple(argument.value for argument in arguments)))
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            values = ", ".join(repr(argument.value) for argument in arguments)
            raise ExpressionError(
                f"{op.NAMES[operation]}({values}) has no finite real value; check the constants of the expression"
            ) from error

    # -- functions ---------------------------------------------------------------------------

    def function(self, operation: int, first: Node | Number) -> Node:
        """A function of one value, such as ``operation.SIN``."""
        a = self.node(first)
        if a.operation == op.CONSTANT:
            return self._fold(operation, a)
        if a.operation == op.NEGATE:
            if operation in op.EVEN:
                return self.function(operation, a.arguments[0])
            if operation in op.ODD:
                return self.negate(self.function(operation, a.arguments[0]))
        return self._unary(operation, a)

    def function2(self, operation: int, first: Node | Number, second: Node | Number) -> Node:
        """A function of two values: atan2, minimum, maximum, a comparison, both, either."""
        a, b = self.node(first), self.node(second)
        if a.operation == op.CONSTANT and b.operation == op.CONSTANT:
            return self._fold(operation, a, b)
        if a is b and operation in op.LATTICE:
            return a
        return self._binary(operation, a, b)

    def apply(self, operation: int, *arguments: Node) -> Node:
        """Any operation of the table on nodes, folded as far as the graph can.

        >>> graph = Graph()
        >>> x = graph.leaf("x")
        >>> graph.apply(op.SUBTRACT, x, x) is graph.zero, graph.apply(op.SIN, -x) is -graph.function(op.SIN, x)
        (True, True)
        """
        return _MAKERS[operation](self, *arguments)

    def complement(self, first: Node) -> Node:
        """Not: 1 where the condition is 0."""
        return self._fold(op.NOT, first) if first.operation == op.CONSTANT else self._unary(op.NOT, first)

    def select(self, condition: Node, when_true: Node | Number, otherwise: Node | Number) -> Node:
        """One value where the condition holds, another where it does not."""
        a, b = self.node(when_true), self.node(otherwise)
        if condition.operation == op.CONSTANT:
            return a if condition.value != 0.0 else b
        if a is b:
            return a
        key = (op.SELECT, condition, a, b)
        return self._nodes.get(key) or self._new(key, op.SELECT, (condition, a, b))

    def lookup(self, table: AnyTable, first: Node | Number, order: int = 0) -> Node:
        """A tabulated function, or its derivative of the given order, at a value.

        The numbers of one that is drawn during a run are arguments too, but for derivatives: they do not move.
        """
        a = self.node(first)
        if order > 3:
            return self.zero
        if a.operation == op.CONSTANT and isinstance(table, Table):
            return self.constant(table(a.value, order))
        key = (op.TABLE, table.key, order, a)
        node = self._nodes.get(key)
        if node is None:
            node = self._new(key, op.TABLE, (a, *map(self.leaf, table.names)))
            node.table = (table, order)
        return node

    def sum(self, terms: Iterable[Node]) -> Node:
        """The sum of the terms, in their order."""
        total = self.zero
        for term in terms:
            total = self.add(total, term)
        return total

    def dot(self, first: Sequence[Node], second: Sequence[Node]) -> Node:
        """The scalar product of two rows of nodes."""
        total = self.zero
        for a, b in zip(first, second, strict=True):
            if not (a.is_zero or b.is_zero):
                total = self.add(total, self.multiply(a, b))
        return total


def _maker(operation: Operation) -> Callable[..., Node]:
    """What makes nodes of an operation that folds like any function of one value or of two."""
    number = operation.number
    if operation.arity == 1:
        return lambda graph, a: graph.function(number, a)
    if operation.arity == 2:
        return lambda graph, a, b: graph.function2(number, a, b)
    raise NotImplementedError(f"{operation.name} has {operation.arity} arguments; give it a maker of its own here")


_OWN_MAKERS: Final[dict[int, Callable[..., Node]]] = {
    op.ADD: Graph.add, op.SUBTRACT: Graph.subtract, op.MULTIPLY: Graph.multiply, op.DIVIDE: Graph.divide,
    op.NEGATE: Graph.negate, op.POWER: Graph.power, op.NOT: Graph.complement, op.SELECT: Graph.select,
}  # fmt: skip
"""Of the operations that fold in ways of their own."""
_MAKERS: Final[dict[int, Callable[..., Node]]] = {
    number: _OWN_MAKERS.get(number) or _maker(operation) for number, operation in op.OPERATIONS.items()
}


def in_order(outputs: Iterable[Node], bound: Mapping[Node, Node] | None = None) -> list[Node]:
    """The nodes that the outputs need, arguments before what uses them; a bound leaf needs what it is bound to.

    Depth first from the outputs: the order depends on the expressions alone, never on which thread
    made which node first, and values are used soon after they are made.
    """
    stands_for = bound or {}
    seen: set[Node] = set()
    ordered: list[Node] = []
    for output in outputs:
        stack: list[Node | None] = [output]
        while stack:
            node = stack.pop()
            if node is None:  # the one below it has its arguments by now
                ordered.append(stack.pop())  # type: ignore[arg-type]
            elif node not in seen:
                seen.add(node)
                arguments = (stands_for[node],) if node in stands_for else node.arguments
                if arguments:
                    stack += (node, None, *arguments[::-1])
                else:
                    ordered.append(node)
    return ordered
