"""The operations a graph node can stand for.

The numbers are part of the tape format: the interpreter, the native code generator and the disk
cache all read them, so a number is never reused for another meaning.
"""

from __future__ import annotations

from typing import Final

CONSTANT: Final = 0
LEAF: Final = 1
ADD: Final = 2
SUBTRACT: Final = 3
MULTIPLY: Final = 4
DIVIDE: Final = 5
NEGATE: Final = 6
POWER: Final = 7
SQRT: Final = 8
SIN: Final = 9
COS: Final = 10
TAN: Final = 11
ASIN: Final = 12
ACOS: Final = 13
ATAN: Final = 14
ATAN2: Final = 15
EXP: Final = 16
LOG: Final = 17
SINH: Final = 18
COSH: Final = 19
TANH: Final = 20
ABSOLUTE: Final = 21
SIGN: Final = 22
MINIMUM: Final = 23
MAXIMUM: Final = 24
LESS: Final = 25
LESS_EQUAL: Final = 26
EQUAL: Final = 27
BOTH: Final = 28
EITHER: Final = 29
NOT: Final = 30
SELECT: Final = 31
TABLE: Final = 32

NAMES: Final[dict[int, str]] = {
    value: name.lower().replace("_", " ")
    for name, value in dict(globals()).items()
    if name.isupper() and isinstance(value, int)
}

UNARY_FUNCTIONS: Final = (SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN, EXP, LOG, SINH, COSH, TANH, ABSOLUTE, SIGN)

PIECEWISE_CONSTANT: Final = (SIGN, LESS, LESS_EQUAL, EQUAL, BOTH, EITHER, NOT)
"""Operations whose value jumps and does not change in between: their derivative is zero."""
