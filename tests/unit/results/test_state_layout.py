"""Every quantity has one column, and names that would be ambiguous are refused."""

from collections.abc import Iterable

import numpy as np
import pytest

from detent.errors import DetentError, UnknownNameError
from detent.results import State, StateLayout

LAYOUT = StateLayout(("q1", "q2"), ("u1",), ("e0", "e1"))


def test_order_is_coordinates_speeds_signals_work() -> None:
    assert LAYOUT.names == ("q1", "q2", "u1", "e0", "e1", "work")
    assert LAYOUT.width == 6
    assert [LAYOUT.column(name) for name in LAYOUT.names] == list(range(6))


def test_slices_part_the_columns() -> None:
    names = np.array(LAYOUT.names)
    assert tuple(names[LAYOUT.coordinate_columns]) == LAYOUT.coordinates
    assert tuple(names[LAYOUT.speed_columns]) == LAYOUT.speeds
    assert tuple(names[LAYOUT.signal_columns]) == LAYOUT.signals


def test_kinds() -> None:
    kinds = [LAYOUT.kind(name) for name in LAYOUT.names]
    assert kinds == ["coordinate"] * 2 + ["speed"] + ["signal"] * 2 + ["energy"]


def test_unknown_column_lists_the_names() -> None:
    with pytest.raises(UnknownNameError, match=r"no quantity named 'q3'.*q1, q2, u1, e0, e1, work"):
        LAYOUT.column("q3")


@pytest.mark.parametrize("name", ["work", "time", "t", "energy", "kinetic_energy", "a/b", "", ".", "detent.rate"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(DetentError, match="cannot have a quantity named"):
        StateLayout((name,), ())


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(DetentError, match="more than one a; give every quantity its own name"):
        StateLayout(("a",), ("b",), ("a",))


def test_state_at_one_time_has_floats_and_at_many_has_arrays() -> None:
    one = State(LAYOUT, 1, np.arange(1.0, 7.0))
    assert (one.q2, one["e1"], one.work, one.time) == (2.0, 5.0, 6.0, 1.0)
    assert all(type(value) is float for value in one.as_dict().values())
    many = State(LAYOUT, [1, 2], np.arange(12.0).reshape(2, 6))
    assert many.q2.tolist() == [1.0, 7.0]
    assert repr(many) == "State(2 times, q1, q2, u1, e0, e1, work)"


def test_state_as_dict_is_a_start() -> None:
    assert list(State(LAYOUT, 0.0, np.zeros(6)).as_dict()) == ["q1", "q2", "u1", "e0", "e1"]


def test_state_names_what_it_has() -> None:
    state = State(LAYOUT, 0.0, np.zeros(6))
    assert {"q1", "work", "as_dict"} <= set(dir(state))
    assert "q1" in state
    assert "q3" not in state
    with pytest.raises(AttributeError, match=r"no quantity named 'q9'.*q1, q2"):
        _ = state.q9
    with pytest.raises(UnknownNameError):
        state["q9"]
    assert not isinstance(state, Iterable)
