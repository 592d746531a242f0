"""What there is to say about an elementary operation; :mod:`detent.expr.operation` says it of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, final

if TYPE_CHECKING:
    from detent.expr.graph import Graph, Node

    Rate: TypeAlias = Callable[[Graph, Node, Sequence[Node]], Node]
    Slope: TypeAlias = Callable[[Graph, Node, Node], Node]

REALS: Final = (-math.inf, math.inf)

Registered = TypeVar("Registered")


class Parity(Enum):
    """What becomes of a function of one value when the value changes its sign."""

    EVEN = "f(-x) = f(x)"
    ODD = "f(-x) = -f(x)"
    NEITHER = "nothing simple"


class Smoothness(Enum):
    """How the value of an operation moves with its arguments."""

    SMOOTH = "inside its domain it has every derivative"
    BENT = "its slope jumps in places"
    STEPPED = "it jumps in places, and stands still between them"
    CONDITION = "it is 1 or 0"
    CHOICE = "it is one of its arguments, chosen by another"


class Machine(Protocol):
    """Writes LLVM instructions on doubles. A value or a test is whatever stands for it with the one who writes.

    Both tiers are such writers, the native code and the interpreter; so an operation is the same instructions in both.
    """

    @property
    def zero(self) -> Any: ...

    def call(self, name: str, *arguments: Any) -> Any:
        """A function of the C library, or an intrinsic of LLVM."""

    def arithmetic(self, word: str, *arguments: Any) -> Any:
        """fadd, fsub, fmul, fdiv, fneg."""

    def test(self, kind: str, a: Any, b: Any) -> Any:
        """A comparison, by LLVM's word for it: olt, ole, ogt, oeq, une."""

    def logic(self, word: str, a: Any, b: Any) -> Any:
        """Two tests made one: and, or."""

    def number(self, test: Any) -> Any:
        """1 where a test holds, 0 where it does not."""

    def select(self, test: Any, a: Any, b: Any) -> Any:
        """The first value where a test holds, otherwise the second."""


@final
@dataclass(frozen=True)
class LibraryCall:
    """The instructions of an operation that is one call.

    >>> LibraryCall("tan").function
    'tan'
    """

    function: str
    """A function of the C library, or an intrinsic of LLVM."""

    def __call__(self, machine: Machine, *arguments: Any) -> Any:
        return machine.call(self.function, *arguments)


@final
@dataclass(frozen=True)
class Operation:
    """An elementary operation, as every part of detent knows it.

    Bounds of its value are with the code that walks a tape with intervals (:mod:`detent.events.enclosure_kernel`).

    >>> from detent.expr.operation import COS, OPERATIONS
    >>> cosine = OPERATIONS[COS]
    >>> cosine.python(0.0), cosine.sympy, cosine.reciprocal, cosine.parity is Parity.EVEN
    (1.0, 'cos', 'sec', True)
    """

    number: int
    """How tapes and the disk cache call it."""
    name: str
    """How messages call it."""
    arity: int
    python: Callable[..., float]
    """Its value, as Python works it out; an error where there is none."""
    sympy: str | Callable[..., Any]
    """SymPy's name of it, or what makes an expression of SymPy (the module) and the arguments."""
    rate: Rate
    """Its derivative along a motion, from the graph, the node and the rates of the node's arguments."""
    machine: Callable[..., Any]
    """Writes its instructions with a :class:`Machine`, and returns what stands for the value."""
    smoothness: Smoothness
    parity: Parity = Parity.NEITHER
    domain: tuple[float, float] = REALS
    """Between what its first argument must be for a value to exist."""
    reciprocal: str = ""
    """SymPy's name of one over it, if it has one."""
    text: str = ""
    """How a number written as text calls it, such as ``--set tilt=atan(0.5)``; empty if it cannot."""
    lattice: bool = False
    """Of two equal arguments it makes the same again; SymPy has it of any number of arguments, in no order."""


def along(slope: Slope) -> Rate:
    """The chain rule: the rate of a function of one value, whose ``slope`` is given the graph, the node, the value.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> x, rate = graph.leaf("x"), graph.leaf("rate of x")
    >>> along(lambda graph, node, a: 2.0 * a)(graph, graph.apply(4, x, x), [rate]) is 2.0 * x * rate
    True
    """
    return lambda graph, node, rates: graph.multiply(slope(graph, node, node.arguments[0]), rates[0])


def stands_still(graph: Graph, node: Node, rates: Sequence[Node]) -> Node:
    """The rate of what jumps and does not change in between."""
    return graph.zero


def complete(
    what: str, registered: Mapping[int, Registered], operations: Mapping[int, Operation]
) -> Mapping[int, Registered]:
    """What is registered by operation, if that is every operation and no other; an error with their names otherwise.

    >>> from detent.expr.operation import ADD, OPERATIONS, SUBTRACT
    >>> complete("colour", {ADD: "red"}, {number: OPERATIONS[number] for number in (ADD, SUBTRACT)})
    Traceback (most recent call last):
    ...
    NotImplementedError: no colour is registered for subtract; there must be one for each operation in the table
    """
    missing = [operation.name for number, operation in operations.items() if number not in registered]
    if missing:
        raise NotImplementedError(
            f"no {what} is registered for {', '.join(missing)}; there must be one for each operation in the table"
        )
    if strange := sorted(set(registered) - set(operations)):
        raise NotImplementedError(
            f"a {what} is registered for {strange}, which are not operations; enter them in detent.expr.operation"
        )
    return registered
