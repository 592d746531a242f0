"""A number chooses a compiled function."""

from __future__ import annotations

import pytest
from numba import njit

from detent.jit.function_switch import switched


def test_each_number_calls_its_function_and_any_other_the_one_for_the_rest() -> None:
    double, negative = njit(lambda x, y: 2.0 * x + y), njit(lambda x, y: -x)
    chosen = switched({3: double, 7: negative, 9: double}, njit(lambda x, y: 0.5))
    call = njit(lambda number: chosen(number, (10.0, 1.0)))
    assert [call(number) for number in (3, 7, 9, 0, -3, 8)] == [21.0, -10.0, 21.0, 0.5, 0.5, 0.5]


def test_functions_that_return_different_things_are_refused() -> None:
    chosen = switched({3: njit(lambda x: (x, x))}, njit(lambda x: x))
    with pytest.raises(TypeError, match=r"functions to choose from return .*float64; let them return the same"):
        njit(lambda number: chosen(number, (10.0,)))(3)
