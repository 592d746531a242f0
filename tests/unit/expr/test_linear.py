"""Linear algebra on the graph gives what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from detent.errors import ExpressionError
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph, Node
from detent.expr.linear import determinant, factor_symmetric, invert, solve_by_determinants, solve_symmetric

ROUNDING = 2.0**-52


def leaves(
    graph: Graph, matrix: np.ndarray, zero: np.ndarray | None = None
) -> tuple[list[list[Node]], dict[str, float]]:
    """A matrix of leaves with their values; where ``zero`` holds, the constant zero."""
    values, rows = {}, []
    for i, line in enumerate(matrix):
        row = []
        for j, value in enumerate(line):
            if zero is not None and zero[i, j]:
                row.append(graph.zero)
            else:
                values[f"a{i}_{j}"] = float(value)
                row.append(graph.leaf(f"a{i}_{j}"))
        rows.append(row)
    return rows, values


def positive_definite(size: int, random: np.random.Generator) -> np.ndarray:
    half = random.normal(size=(size, size))
    return half @ half.T + size * np.eye(size)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_the_factors_multiply_to_the_matrix(size: int) -> None:
    graph = Graph()
    matrix = positive_definite(size, np.random.default_rng(size))
    nodes, values = leaves(graph, matrix)
    lower, inverse = factor_symmetric(graph, nodes)
    flat = evaluate_nodes([*(value for row in lower for value in row), *inverse], values)
    unit = np.array(flat[: size * size]).reshape(size, size) + np.eye(size)
    diagonal = 1.0 / np.array(flat[size * size :])
    assert np.allclose(
        unit @ np.diag(diagonal) @ unit.T, matrix, rtol=0, atol=8 * size * ROUNDING * np.abs(matrix).max()
    )


@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_a_symmetric_solve_against_numpy(size: int) -> None:
    graph = Graph()
    random = np.random.default_rng(size)
    matrix, right = positive_definite(size, random), random.normal(size=size)
    nodes, values = leaves(graph, matrix)
    given = [graph.leaf(f"b{i}") for i in range(size)]
    solution = evaluate_nodes(
        solve_symmetric(graph, nodes, given), values | {f"b{i}": value for i, value in enumerate(right)}
    )
    bound = 8 * size * ROUNDING * np.linalg.cond(matrix)
    assert np.allclose(solution, np.linalg.solve(matrix, right), rtol=bound, atol=bound)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6])
def test_an_inverse_against_numpy(size: int) -> None:
    graph = Graph()
    random = np.random.default_rng(10 + size)
    matrix = random.normal(size=(size, size))
    nodes, values = leaves(graph, matrix)
    inverse = evaluate_nodes([value for row in invert(graph, nodes, values) for value in row], values)
    bound = 16 * size * ROUNDING * np.linalg.cond(matrix) * np.abs(np.linalg.inv(matrix)).max()
    assert np.allclose(np.reshape(inverse, (size, size)), np.linalg.inv(matrix), rtol=0, atol=bound)


def test_blocks_that_share_nothing_are_inverted_apart() -> None:
    graph = Graph()
    random = np.random.default_rng(3)
    pattern = np.ones((5, 5), dtype=bool)
    pattern[np.ix_([0, 3], [1, 4])] = False
    pattern[np.ix_([1, 2, 4], [0, 2, 3])] = False
    matrix = np.where(pattern, 0.0, random.normal(size=(5, 5)))
    nodes, values = leaves(graph, matrix, pattern)
    inverse = invert(graph, nodes, values)
    assert np.allclose(
        np.reshape(evaluate_nodes([value for row in inverse for value in row], values), (5, 5)), np.linalg.inv(matrix)
    )
    assert all(inverse[j][i].is_zero for i in range(5) for j in range(5) if pattern[i, j])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_determinant_against_numpy(size: int) -> None:
    graph = Graph()
    matrix = np.random.default_rng(size).normal(size=(size, size))
    nodes, values = leaves(graph, matrix)
    assert evaluate_nodes([determinant(graph, nodes)], values)[0] == pytest.approx(np.linalg.det(matrix), rel=1e-13)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_solve_by_determinants_against_numpy_where_the_diagonal_vanishes(size: int) -> None:
    graph, random = Graph(), np.random.default_rng(size)
    matrix, right = random.normal(size=(size, size)), random.normal(size=size)
    zero = np.eye(size, dtype=bool) if size > 1 else None
    nodes, values = leaves(graph, matrix, zero)
    given = [graph.leaf(f"b{i}") for i in range(size)]
    solved = evaluate_nodes(
        solve_by_determinants(graph, nodes, given), values | {f"b{i}": x for i, x in enumerate(right)}
    )
    expected = np.linalg.solve(matrix if zero is None else np.where(zero, 0.0, matrix), right)
    assert solved == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("size", [2, 4])
def test_a_matrix_without_an_inverse_is_refused(size: int) -> None:
    graph = Graph()
    nodes, values = leaves(graph, np.random.default_rng(0).normal(size=(size, size)))
    nodes[1] = nodes[0]
    with pytest.raises(ExpressionError, match="singular"):
        invert(graph, nodes, values)
    rows = [[graph.zero] * size for _ in range(size)]
    with pytest.raises(ExpressionError, match="singular"):
        invert(graph, rows, {})


def test_a_zero_pivot_is_refused() -> None:
    graph = Graph()
    with pytest.raises(ExpressionError, match="singular whatever the state"):
        factor_symmetric(graph, [[graph.zero]])
