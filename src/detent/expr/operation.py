"""The operations a graph node can stand for, each with all there is to know of it, in one table.

An entry gives an operation its number, its name, its value, its form in SymPy, its derivative and its machine code;
every tier reads what it needs here. Bounds are registered by operation in :mod:`detent.events.enclosure_kernel`,
which is not compiled while one is missing.

The numbers are part of the tape format: the interpreter, the native code generator and the disk
cache all read them, so a number is never reused for another meaning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from detent.expr.elementary import LibraryCall, Machine, Operation, Parity, Smoothness, along, stands_still
from detent.expr.instruction import SINCOS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detent.expr.graph import Graph, Node

OPERATIONS: Final[dict[int, Operation]] = {}
"""The table, by number.

>>> OPERATIONS[TANH].name, OPERATIONS[TANH].python(0.0)
('tanh', 0.0)
"""


def _entered(operation: Operation) -> int:
    """The number of an operation, which is now in the table."""
    number = operation.number
    if number in NAMES or number == SINCOS:
        other = NAMES.get(number, "sine and cosine at once")
        raise ValueError(f"{operation.name} has the number {number}, which is that of {other}; give it one of its own")
    OPERATIONS[number] = operation
    NAMES[number] = operation.name
    return number


# -- what carries data of its own: a number, a name, a tabulated function ---------------------------------

CONSTANT: Final = 0
LEAF: Final = 1
TABLE: Final = 32

NAMES: Final[dict[int, str]] = {CONSTANT: "constant", LEAF: "leaf", TABLE: "table"}
"""How messages call the operations, these three included."""

# -- arithmetic -------------------------------------------------------------------------------------------


def _arithmetic(word: str) -> Any:
    return lambda machine, *arguments: machine.arithmetic(word, *arguments)


def _power_rate(graph: Graph, node: Node, rates: Sequence[Node]) -> Node:
    base, exponent = node.arguments
    from_base = graph.multiply(graph.multiply(exponent, graph.power(base, exponent - 1.0)), rates[0])
    if rates[1].is_zero:
        return from_base
    return graph.add(from_base, graph.multiply(graph.multiply(node, graph.function(LOG, base)), rates[1]))


def _product_rate(graph: Graph, node: Node, rates: Sequence[Node]) -> Node:
    a, b = node.arguments
    if rates[0] is graph.zero:  # most have one factor that moves
        return graph.multiply(a, rates[1])
    if rates[1] is graph.zero:
        return graph.multiply(rates[0], b)
    return graph.add(graph.multiply(rates[0], b), graph.multiply(a, rates[1]))


def _quotient_rate(graph: Graph, node: Node, rates: Sequence[Node]) -> Node:
    return graph.divide(graph.subtract(rates[0], graph.multiply(node, rates[1])), node.arguments[1])


ADD: Final[int] = _entered(Operation(
    2, "add", 2, lambda a, b: a + b, sympy=lambda sympy, a, b: a + b, machine=_arithmetic("fadd"),
    rate=lambda graph, node, rates: graph.add(*rates), smoothness=Smoothness.SMOOTH,
))  # fmt: skip
SUBTRACT: Final[int] = _entered(Operation(
    3, "subtract", 2, lambda a, b: a - b, sympy=lambda sympy, a, b: a - b, machine=_arithmetic("fsub"),
    rate=lambda graph, node, rates: graph.subtract(*rates), smoothness=Smoothness.SMOOTH,
))  # fmt: skip
MULTIPLY: Final[int] = _entered(Operation(
    4, "multiply", 2, lambda a, b: a * b, sympy=lambda sympy, a, b: a * b, machine=_arithmetic("fmul"),
    rate=_product_rate, smoothness=Smoothness.SMOOTH,
))  # fmt: skip
DIVIDE: Final[int] = _entered(Operation(
    5, "divide", 2, lambda a, b: a / b, sympy=lambda sympy, a, b: a / b, machine=_arithmetic("fdiv"),
    rate=_quotient_rate, smoothness=Smoothness.SMOOTH,
))  # fmt: skip
NEGATE: Final[int] = _entered(Operation(
    6, "negate", 1, lambda a: -a, sympy=lambda sympy, a: -a, machine=_arithmetic("fneg"),
    rate=along(lambda graph, node, a: graph.constant(-1.0)), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip
POWER: Final[int] = _entered(Operation(
    7, "power", 2, math.pow, sympy=lambda sympy, a, b: sympy.Pow(a, b), machine=LibraryCall("pow"), rate=_power_rate,
    smoothness=Smoothness.SMOOTH, domain=(0.0, math.inf),
))  # fmt: skip

# -- functions --------------------------------------------------------------------------------------------


def _angle_rate(graph: Graph, node: Node, rates: Sequence[Node]) -> Node:
    a, b = node.arguments
    return graph.divide(graph.subtract(graph.multiply(b, rates[0]), graph.multiply(a, rates[1])), a * a + b * b)


SQRT: Final[int] = _entered(Operation(
    8, "sqrt", 1, math.sqrt, sympy="sqrt", text="sqrt", machine=LibraryCall("llvm.sqrt.f64"),
    rate=along(lambda graph, node, a: graph.divide(graph.constant(0.5), node)), smoothness=Smoothness.SMOOTH,
    domain=(0.0, math.inf),
))  # fmt: skip
SIN: Final[int] = _entered(Operation(
    9, "sin", 1, math.sin, sympy="sin", reciprocal="csc", text="sin", machine=LibraryCall("llvm.sin.f64"),
    rate=along(lambda graph, node, a: graph.function(COS, a)), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip
COS: Final[int] = _entered(Operation(
    10, "cos", 1, math.cos, sympy="cos", reciprocal="sec", text="cos", machine=LibraryCall("llvm.cos.f64"),
    rate=along(lambda graph, node, a: graph.negate(graph.function(SIN, a))),
    smoothness=Smoothness.SMOOTH, parity=Parity.EVEN,
))  # fmt: skip
TAN: Final[int] = _entered(Operation(
    11, "tan", 1, math.tan, sympy="tan", reciprocal="cot", text="tan", machine=LibraryCall("tan"),
    rate=along(lambda graph, node, a: node * node + 1.0), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip
ASIN: Final[int] = _entered(Operation(
    12, "asin", 1, math.asin, sympy="asin", text="asin", machine=LibraryCall("asin"),
    rate=along(lambda graph, node, a: 1.0 / graph.function(SQRT, 1.0 - a * a)),
    smoothness=Smoothness.SMOOTH, parity=Parity.ODD, domain=(-1.0, 1.0),
))  # fmt: skip
ACOS: Final[int] = _entered(Operation(
    13, "acos", 1, math.acos, sympy="acos", text="acos", machine=LibraryCall("acos"),
    rate=along(lambda graph, node, a: -1.0 / graph.function(SQRT, 1.0 - a * a)), smoothness=Smoothness.SMOOTH,
    domain=(-1.0, 1.0),
))  # fmt: skip
ATAN: Final[int] = _entered(Operation(
    14, "atan", 1, math.atan, sympy="atan", text="atan", machine=LibraryCall("atan"),
    rate=along(lambda graph, node, a: 1.0 / (a * a + 1.0)), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip
ATAN2: Final[int] = _entered(Operation(
    15, "atan2", 2, math.atan2, sympy="atan2", text="atan2", machine=LibraryCall("atan2"), rate=_angle_rate,
    smoothness=Smoothness.SMOOTH,
))  # fmt: skip
EXP: Final[int] = _entered(Operation(
    16, "exp", 1, math.exp, sympy="exp", text="exp", machine=LibraryCall("llvm.exp.f64"),
    rate=along(lambda graph, node, a: node), smoothness=Smoothness.SMOOTH,
))  # fmt: skip
LOG: Final[int] = _entered(Operation(
    17, "log", 1, math.log, sympy="log", text="log", machine=LibraryCall("llvm.log.f64"),
    rate=along(lambda graph, node, a: 1.0 / a), smoothness=Smoothness.SMOOTH, domain=(0.0, math.inf),
))  # fmt: skip
SINH: Final[int] = _entered(Operation(
    18, "sinh", 1, math.sinh, sympy="sinh", reciprocal="csch", text="sinh", machine=LibraryCall("sinh"),
    rate=along(lambda graph, node, a: graph.function(COSH, a)), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip
COSH: Final[int] = _entered(Operation(
    19, "cosh", 1, math.cosh, sympy="cosh", reciprocal="sech", text="cosh", machine=LibraryCall("cosh"),
    rate=along(lambda graph, node, a: graph.function(SINH, a)), smoothness=Smoothness.SMOOTH, parity=Parity.EVEN,
))  # fmt: skip
TANH: Final[int] = _entered(Operation(
    20, "tanh", 1, math.tanh, sympy="tanh", reciprocal="coth", text="tanh", machine=LibraryCall("tanh"),
    rate=along(lambda graph, node, a: 1.0 - node * node), smoothness=Smoothness.SMOOTH, parity=Parity.ODD,
))  # fmt: skip

# -- functions with a kink or a step ----------------------------------------------------------------------


def _extreme(kind: str) -> Any:
    return lambda machine, a, b: machine.select(machine.test(kind, a, b), a, b)


def _sign(machine: Machine, a: Any) -> Any:
    above = machine.number(machine.test("ogt", a, machine.zero))
    below = machine.number(machine.test("olt", a, machine.zero))
    return machine.arithmetic("fsub", above, below)


ABSOLUTE: Final[int] = _entered(Operation(
    21, "absolute", 1, abs, sympy="Abs", text="abs", machine=LibraryCall("llvm.fabs.f64"),
    rate=along(lambda graph, node, a: graph.function(SIGN, a)), smoothness=Smoothness.BENT, parity=Parity.EVEN,
))  # fmt: skip
SIGN: Final[int] = _entered(Operation(
    22, "sign", 1, lambda a: float(a > 0.0) - float(a < 0.0), sympy="sign", machine=_sign,
    rate=stands_still, smoothness=Smoothness.STEPPED, parity=Parity.ODD,
))  # fmt: skip
MINIMUM: Final[int] = _entered(Operation(
    23, "minimum", 2, lambda a, b: a if a < b else b, sympy="Min", machine=_extreme("olt"), lattice=True,
    rate=lambda graph, node, rates: graph.select(graph.function2(LESS, *node.arguments), *rates),
    smoothness=Smoothness.BENT,
))  # fmt: skip
MAXIMUM: Final[int] = _entered(Operation(
    24, "maximum", 2, lambda a, b: a if a > b else b, sympy="Max", machine=_extreme("ogt"), lattice=True,
    rate=lambda graph, node, rates: graph.select(graph.function2(LESS, *reversed(node.arguments)), *rates),
    smoothness=Smoothness.BENT,
))  # fmt: skip

# -- conditions: 1 where they hold, 0 where they do not ---------------------------------------------------


def _comparison(kind: str) -> Any:
    return lambda machine, a, b: machine.number(machine.test(kind, a, b))


def _joined(word: str) -> Any:
    return lambda machine, a, b: machine.number(machine.logic(word, _holds(machine, a), _holds(machine, b)))


def _holds(machine: Machine, a: Any) -> Any:
    return machine.test("une", a, machine.zero)


LESS: Final[int] = _entered(Operation(
    25, "less", 2, lambda a, b: float(a < b), sympy="Lt", machine=_comparison("olt"),
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
LESS_EQUAL: Final[int] = _entered(Operation(
    26, "less equal", 2, lambda a, b: float(a <= b), sympy="Le", machine=_comparison("ole"),
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
EQUAL: Final[int] = _entered(Operation(
    27, "equal", 2, lambda a, b: float(a == b), sympy="Eq", machine=_comparison("oeq"),
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
BOTH: Final[int] = _entered(Operation(
    28, "both", 2, lambda a, b: float(a != 0.0 and b != 0.0), sympy="And", machine=_joined("and"), lattice=True,
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
EITHER: Final[int] = _entered(Operation(
    29, "either", 2, lambda a, b: float(a != 0.0 or b != 0.0), sympy="Or", machine=_joined("or"), lattice=True,
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
NOT: Final[int] = _entered(Operation(
    30, "not", 1, lambda a: float(a == 0.0), sympy="Not",
    machine=lambda machine, a: machine.number(machine.test("oeq", a, machine.zero)),
    rate=stands_still, smoothness=Smoothness.CONDITION,
))  # fmt: skip
SELECT: Final[int] = _entered(Operation(
    31, "select", 3, lambda condition, a, b: a if condition != 0.0 else b,
    sympy=lambda sympy, condition, a, b: sympy.Piecewise((a, condition), (b, True)),
    machine=lambda machine, condition, a, b: machine.select(_holds(machine, condition), a, b),
    rate=lambda graph, node, rates: graph.select(node.arguments[0], rates[1], rates[2]), smoothness=Smoothness.CHOICE,
))  # fmt: skip

# -- what the table says of all ---------------------------------------------------------------------------

EVEN: Final = frozenset(number for number, operation in OPERATIONS.items() if operation.parity is Parity.EVEN)
ODD: Final = frozenset(number for number, operation in OPERATIONS.items() if operation.parity is Parity.ODD)
LATTICE: Final = frozenset(number for number, operation in OPERATIONS.items() if operation.lattice)
"""Of two equal arguments these make the same again."""
RATE_MAY_JUMP: Final = frozenset(
    number for number, operation in OPERATIONS.items()
    if operation.smoothness in (Smoothness.BENT, Smoothness.STEPPED, Smoothness.CHOICE)
)  # fmt: skip
"""A condition is not among them: it is seen through what it chooses."""
