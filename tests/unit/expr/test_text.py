"""Text becomes a number by an allow-list. Whatever is not arithmetic is refused, at once, and never run."""

from __future__ import annotations

import contextlib
import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detent.errors import ExpressionError
from detent.expr.text import CONSTANTS, FUNCTIONS, LONGEST_TEXT, number_from_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.3", 0.3),
        ("-2", -2.0),
        ("+ - + 4", -4.0),
        (" pi/12 ", math.pi / 12),
        ("2*sqrt(3)", 2 * math.sqrt(3)),
        ("1e-3 + .5", 0.501),
        ("2**-2", 0.25),
        ("-2**2", -4.0),
        ("(1 + 2) * 3 / 4 - 5", -2.75),
        ("atan2(1, -1)", math.atan2(1, -1)),
        ("min(3, 1, 2) + max(1, 5)", 6.0),
        ("radians(180)", math.pi),
        ("log(exp(1))", 1.0),
        ("abs(-3)", 3.0),
        ("m*g", 19.62),
    ],
)
def test_arithmetic_is_read(text: str, value: float) -> None:
    assert number_from_text(text, {"m": 2.0, "g": 9.81}) == pytest.approx(value, rel=1e-15)


@given(
    st.floats(0.01, 100), st.floats(0.01, 100), st.sampled_from(["+", "-", "*", "/"]),
    st.sampled_from(["sin", "cos", "tanh", "sqrt", "exp", "atan"]),
)  # fmt: skip
def test_arithmetic_means_what_it_means_in_python(a: float, b: float, sign: str, function: str) -> None:
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign]
    assert number_from_text(f"{a!r} {sign} {function}({b!r})") == apply(a, getattr(math, function)(b))


ATTACKS = [
    "__import__('os').system('true')", "os.system('true')", "().__class__", "(1).real", "pi.real", "sin.__globals__",
    "eval('1')", "exec('1')", "open('x')", "print(1)", "getattr(1, 'real')", "compile('1', '', 'eval')", "breakpoint()",
    "lambda: 1", "(lambda: 1)()", "[1, 2]", "[x for x in (1,)]", "{1: 2}", "{x for x in (1,)}", "(x for x in (1,))",
    "(x := 1)", "f'{1}'", "'text'", "b'text'", "...", "None", "True", "1j", "1 if 1 else 2", "1 < 2", "1 and 2",
    "not 1", "~1", "1 // 2", "5 % 2", "1 << 4", "1 @ 2", "1 | 2", "pi[0]", "*pi", "sin(*pi)", "sin(x=1)", "sin(**{})",
    "await sin(1)", "yield 1", "import os", "1; import os", "x = 1", "del pi", "1\n2", "# only a comment", "", "   ",
    "__builtins__", "__name__", "_", "__debug__", "self", "unknown", "sin", "atan2", "pi()", "pi(1)", "sin()",
    "sin(1, 2)", "min()", "9**9**9**9", "10.0**400", "1/0", "0**-1", "(-8)**(1/3)", "log(0)", "log(-1)", "sqrt(-1)",
    "asin(2)", "exp(1000)", "1e999", "-1e999", "1e999 - 1e999", "nan", "inf", "9" * 1999, "(" * 900 + "1" + ")" * 900,
    "-" * 1900 + "1", "[" + "-" * 1900 + "1]", "not " * 450 + "1", "1" + "+1" * 950, "sin(" * 300 + "1" + ")" * 300,
    "lambda:" * 280 + "1", "1," * 950, "x" * LONGEST_TEXT + "y", "1\x00", "\x1b[31m1", "'\\d'", "1_", "0x", "1..2",
    "\uff50\uff49", "\uff53in(1)", "\u03c0", "\u22121", "\uff11", "1\u200b", "\u202e1", "p\u0131",
]  # fmt: skip


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: ascii(text[:24]))
def test_what_is_not_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        number_from_text(text)
    # A message quotes what was found, cut short, and says what would do.
    assert len(str(caught.value)) < 3 * LONGEST_TEXT
    assert ";" in str(caught.value)


def test_ten_megabytes_are_refused_unread() -> None:
    with pytest.raises(ExpressionError, match=rf"10000000 characters; at most {LONGEST_TEXT} are read"):
        number_from_text("1+" * 5_000_000)


def test_an_unknown_name_is_told_those_that_are_known() -> None:
    with pytest.raises(ExpressionError, match="'mass' has no value here; known are pi, m"):
        number_from_text("2*mass", {"m": 1.0})


def test_an_unknown_function_is_told_those_that_are_offered() -> None:
    with pytest.raises(ExpressionError) as caught:
        number_from_text("sinus(1)")
    assert "'sinus' is not offered" in str(caught.value)
    assert all(name in str(caught.value) for name in FUNCTIONS)


def test_a_given_name_hides_no_function() -> None:
    assert number_from_text("sin(m) + pi", {"m": 0.0}) == math.pi
    assert set(CONSTANTS) == {"pi"}


@given(st.text(max_size=60))
def test_any_text_gives_a_finite_number_or_an_expression_error(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        assert math.isfinite(number_from_text(text))


@given(st.text(alphabet="0123456789.+-*/() episncoqrt,_[]'\"\\{}:=<>!&|^%@~#x", max_size=40))
def test_any_arithmetic_looking_text_gives_a_finite_number_or_an_expression_error(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        assert math.isfinite(number_from_text(text))
