"""The tableaus satisfy the conditions of their orders and agree with another publication of the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import DOP853 as PublishedDop853
from scipy.integrate import RK45 as PublishedDopri5

from detent.stepping.tableau import DOP853, DOPRI5, RK4, TABLEAUS, Tableau

FloatArray = NDArray[np.float64]
Tree = tuple["Tree", ...]
METHODS = list(TABLEAUS.values())
named = pytest.mark.parametrize("method", METHODS, ids=list(TABLEAUS))


@cache
def trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with so many nodes; a tree is the sorted tuple of what hangs on its root."""

    def forests(nodes: int, largest: int) -> Iterator[Tree]:
        if nodes == 0:
            yield ()
        for size in range(min(nodes, largest), 0, -1):
            for tree in trees(size):
                for rest in forests(nodes - size, size):
                    yield tuple(sorted((tree, *rest)))

    return tuple(sorted(set(forests(order - 1, order - 1))))


def size(tree: Tree) -> int:
    return 1 + sum(size(branch) for branch in tree)


def density(tree: Tree) -> int:
    product = size(tree)
    for branch in tree:
        product *= density(branch)
    return product


def stage_weights(a: FloatArray, tree: Tree) -> FloatArray:
    """The elementary weight of a tree at each stage: the product over branches of a applied to theirs."""
    product = np.ones(len(a))
    for branch in tree:
        product = product * (a @ stage_weights(a, branch))
    return product


def with_end(method: Tableau) -> FloatArray:
    """a with the rate at the end of the step as one more stage."""
    a = np.zeros((method.stages + 1, method.stages + 1))
    a[: method.stages, : method.stages] = method.a
    a[method.stages, : method.stages] = method.b
    return a


def rounding(method: Tableau) -> float:
    """What sums of products of published digits may be off by: coefficients up to 43 that cancel."""
    return 64 * np.finfo(float).eps * max(1.0, float(np.abs(method.a).sum(axis=1).max()))


def test_number_of_rooted_trees() -> None:
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@named
def test_order_conditions_of_every_rooted_tree(method: Tableau) -> None:
    for order in range(1, method.order + 1):
        for tree in trees(order):
            found = method.b @ stage_weights(method.a, tree)
            assert found == pytest.approx(1 / density(tree), abs=rounding(method)), tree


@named
def test_a_condition_of_the_next_order_fails(method: Tableau) -> None:
    residuals = [abs(method.b @ stage_weights(method.a, tree) - 1 / density(tree)) for tree in trees(method.order + 1)]
    assert max(residuals) > 1e-6


@named
def test_nodes_are_the_row_sums(method: Tableau) -> None:
    assert method.a.sum(axis=1) == pytest.approx(method.c, abs=rounding(method))
    assert method.extra_a.sum(axis=1) == pytest.approx(method.extra_c, abs=rounding(method))


@named
def test_methods_are_explicit(method: Tableau) -> None:
    assert not np.triu(method.a).any()
    first = method.stages + 1
    assert not np.triu(method.extra_a[:, first:]).any()


@pytest.mark.parametrize(("method", "row", "order"), [(DOPRI5, 0, 4), (DOP853, 0, 5), (DOP853, 1, 3)])
def test_error_estimates_vanish_up_to_their_order(method: Tableau, row: int, order: int) -> None:
    weights, a = method.error[row], with_end(method)
    for tree in (tree for below in range(1, order + 1) for tree in trees(below)):
        assert weights @ stage_weights(a, tree) == pytest.approx(0.0, abs=rounding(method)), tree
    assert max(abs(weights @ stage_weights(a, tree)) for tree in trees(order + 1)) > 1e-6


def test_order_5_agrees_with_scipy() -> None:
    assert np.array_equal(DOPRI5.a[:, :5], PublishedDopri5.A)
    assert np.array_equal(DOPRI5.b, PublishedDopri5.B)
    assert np.array_equal(DOPRI5.c, PublishedDopri5.C)
    assert np.array_equal(DOPRI5.error[0], PublishedDopri5.E)


def test_dense_output_of_order_5_agrees_with_scipy() -> None:
    # SciPy gives the interpolant as powers of s, one row per stage; here it is nested.
    s = np.linspace(0.0, 1.0, 9)[:, None]
    start, end = np.eye(7)[0], np.eye(7)[6]
    change = np.append(DOPRI5.b, 0.0)
    third = start - change
    fourth = change - end - third
    nested = s * (change + (1 - s) * (third + s * (fourth + (1 - s) * DOPRI5.dense[0])))
    published = np.hstack([s, s**2, s**3, s**4]) @ PublishedDopri5.P.T
    assert nested == pytest.approx(published, abs=64 * np.finfo(float).eps)


def test_order_8_agrees_with_scipy() -> None:
    assert np.array_equal(DOP853.a, PublishedDop853.A)
    assert np.array_equal(DOP853.b, PublishedDop853.B)
    assert np.array_equal(DOP853.c, PublishedDop853.C)
    assert np.array_equal(DOP853.error, [PublishedDop853.E5, PublishedDop853.E3])
    assert np.array_equal(DOP853.dense, PublishedDop853.D)
    assert np.array_equal(DOP853.extra_a, PublishedDop853.A_EXTRA)
    assert np.array_equal(DOP853.extra_c, PublishedDop853.C_EXTRA)


@named
def test_numbers_cannot_be_changed(method: Tableau) -> None:
    with pytest.raises(ValueError, match="read-only"):
        method.b[0] = 0.0


def test_only_the_classical_method_has_no_error_estimate() -> None:
    assert [method.is_adaptive for method in (RK4, DOPRI5, DOP853)] == [False, True, True]
