"""Small linear algebra on the graph: what a solve costs is paid once, when the equations are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from detent.errors import ExpressionError
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph, Node

Matrix = Sequence[Sequence[Node]]
MOST_UNKNOWNS = 3
"""Matrices up to this size are solved with determinants."""


def factor_symmetric(graph: Graph, matrix: Matrix) -> tuple[list[list[Node]], list[Node]]:
    """M = L D L^T: unit lower triangular L (only the part below the diagonal is filled in) and the inverse of D.

    One division per row; the rest are products, which processors do several times faster.

    No pivoting: for a positive definite M none is needed, and M is positive definite for any
    mechanical system whose speeds all move some mass.
    """
    size = len(matrix)
    lower: list[list[Node]] = [[graph.zero] * size for _ in range(size)]
    scaled: list[list[Node]] = [[graph.zero] * size for _ in range(size)]  # L D
    inverse: list[Node] = []
    for j in range(size):
        pivot = matrix[j][j] - graph.dot(scaled[j][:j], lower[j][:j])
        if pivot.is_zero:
            raise ExpressionError("the matrix is singular whatever the state")
        inverse.append(graph.one / pivot)
        for i in range(j + 1, size):
            scaled[i][j] = matrix[i][j] - graph.dot(scaled[i][:j], lower[j][:j])
            lower[i][j] = scaled[i][j] * inverse[j]
    return lower, inverse


def solve_symmetric(graph: Graph, matrix: Matrix, right: Sequence[Node]) -> list[Node]:
    """x with M x = right, M symmetric and positive definite.

    >>> graph = Graph()
    >>> a = graph.leaf("a")
    >>> evaluate_nodes(solve_symmetric(graph, [[a, graph.one], [graph.one, a]], [a, graph.one]), {"a": 2.0})
    [1.0, 0.0]
    """
    size = len(matrix)
    lower, inverse = factor_symmetric(graph, matrix)
    forward: list[Node] = []
    for i in range(size):
        forward.append(right[i] - graph.dot(lower[i][:i], forward))
    scaled = [forward[i] * inverse[i] for i in range(size)]
    solution: list[Node] = [graph.zero] * size
    for i in reversed(range(size)):
        below = range(i + 1, size)
        solution[i] = scaled[i] - graph.dot([lower[k][i] for k in below], [solution[k] for k in below])
    return solution


def invert(graph: Graph, matrix: Matrix, sample: Mapping[str, float]) -> list[list[Node]]:
    """The inverse of a general square matrix, block by block.

    Unknowns that share no equation are inverted apart. Blocks up to three use cofactors, so they
    fail only where the determinant vanishes; larger ones are eliminated with the pivots that are
    largest at ``sample``, a typical state.
    """
    size = len(matrix)
    inverse = [[graph.zero] * size for _ in range(size)]
    for rows, columns in _blocks(matrix):
        if len(rows) != len(columns):
            raise ExpressionError("the matrix is structurally singular")
        block = [[matrix[i][j] for j in columns] for i in rows]
        solved = _cofactor_inverse(graph, block) if len(rows) <= MOST_UNKNOWNS else _eliminate(graph, block, sample)
        for a, j in enumerate(columns):
            for b, i in enumerate(rows):
                inverse[j][i] = solved[a][b]
    return inverse


def _blocks(matrix: Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that belong together, in order of their first row."""
    size = len(matrix)
    left = set(range(size))
    blocks = []
    while left:
        rows, columns = {min(left)}, set[int]()
        while True:
            wider = {j for i in rows for j in range(size) if not matrix[i][j].is_zero}
            taller = {i for i in left for j in wider if not matrix[i][j].is_zero} | rows
            if wider == columns and taller == rows:
                break
            columns, rows = wider, taller
        left -= rows
        blocks.append((sorted(rows), sorted(columns)))
    return blocks


def determinant(graph: Graph, matrix: Matrix) -> Node:
    """The determinant of a matrix of at most three rows."""
    if len(matrix) == 1:
        return matrix[0][0]
    if len(matrix) == 2:
        return matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]
    return graph.sum(matrix[0][j] * _cofactor(graph, matrix, 0, j) for j in range(3) if not matrix[0][j].is_zero)


def solve_by_determinants(graph: Graph, matrix: Matrix, right: Sequence[Node]) -> list[Node]:
    """x with A x = right for a matrix of at most three rows, by Cramer's rule: no pivot can vanish on the way.

    >>> graph = Graph()
    >>> a = graph.leaf("a")
    >>> evaluate_nodes(solve_by_determinants(graph, [[graph.zero, a], [a, graph.one]], [a, a]), {"a": 2.0})
    [0.5, 1.0]
    """
    whole = determinant(graph, matrix)
    if whole.is_zero:
        raise ExpressionError("the matrix is singular")
    lines = [(list(line), value) for line, value in zip(matrix, right, strict=True)]
    replaced = [[[*line[:j], value, *line[j + 1 :]] for line, value in lines] for j in range(len(matrix))]
    return [determinant(graph, each) / whole for each in replaced]


def _cofactor(graph: Graph, matrix: Matrix, row: int, column: int) -> Node:
    minor = [[value for j, value in enumerate(line) if j != column] for i, line in enumerate(matrix) if i != row]
    if not minor:
        return graph.one
    value = determinant(graph, minor)
    return -value if (row + column) % 2 else value


def _cofactor_inverse(graph: Graph, matrix: Matrix) -> list[list[Node]]:
    size = len(matrix)
    whole = determinant(graph, matrix)
    if whole.is_zero:
        raise ExpressionError("the matrix is singular")
    inverse = graph.one / whole
    return [[_cofactor(graph, matrix, i, j) * inverse for i in range(size)] for j in range(size)]


def _eliminate(graph: Graph, matrix: Matrix, sample: Mapping[str, float]) -> list[list[Node]]:
    size = len(matrix)
    rows = [list(line) + [graph.one if i == j else graph.zero for j in range(size)] for i, line in enumerate(matrix)]
    for column in range(size):
        magnitude = [abs(value) for value in evaluate_nodes([rows[i][column] for i in range(column, size)], sample)]
        best = max(range(len(magnitude)), key=magnitude.__getitem__)
        if not magnitude[best] > 1e-12:
            raise ExpressionError("the matrix is singular")
        rows[column], rows[column + best] = rows[column + best], rows[column]
        pivot = rows[column][column]
        rows[column] = [value / pivot for value in rows[column]]
        for i in range(size):
            factor = rows[i][column]
            if i != column and not factor.is_zero:
                rows[i] = [value - factor * above for value, above in zip(rows[i], rows[column], strict=True)]
    return [line[size:] for line in rows]


def solve_general(graph: Graph, matrix: Matrix, right: Matrix, by_determinants: int = 0) -> list[list[Node]]:
    """X with A X = right. Pivots are the diagonal's, so the caller puts rows and columns in an order that allows it.

    An order that allows it at one state may not at another, at which the matrix is as good: of the last unknowns so
    many, at most three, are solved for with determinants if their pivots are not constants.

    >>> graph = Graph()
    >>> a = graph.leaf("a")
    >>> solved = solve_general(graph, [[a, graph.one], [graph.one, a]], [[a], [graph.one]], by_determinants=2)
    >>> evaluate_nodes([line[0] for line in solved], {"a": 2.0})
    [1.0, 0.0]
    >>> evaluate_nodes([line[0] for line in solved], {"a": 0.0})
    [1.0, 0.0]
    """
    size = len(matrix)
    rows = [[*line, *more] for line, more in zip(matrix, right, strict=True)]
    pivots = 0
    while pivots < size and not (size - pivots <= by_determinants and _may_vanish(rows, pivots)):
        _eliminate_below(graph, rows, pivots)
        pivots += 1
    if pivots < size:
        inverse = _cofactor_inverse(graph, [line[pivots:size] for line in rows[pivots:]])
        given = list(zip(*(line[size:] for line in rows[pivots:]), strict=True))
        for line, factors in zip(rows[pivots:], inverse, strict=True):
            line[size:] = [graph.dot(factors, column) for column in given]
    for i in reversed(range(pivots)):
        reciprocal = graph.one / rows[i][i]
        for k in range(size, len(rows[i])):
            known = graph.dot(rows[i][i + 1 : size], [rows[j][k] for j in range(i + 1, size)])
            rows[i][k] = (rows[i][k] - known) * reciprocal
    return [line[size:] for line in rows]


def _eliminate_below(graph: Graph, rows: list[list[Node]], column: int) -> None:
    """Take the row of a pivot off those below it."""
    inverse = graph.one / rows[column][column]
    for line in rows[column + 1 :]:
        if not line[column].is_zero:
            factor = line[column] * inverse
            line[column + 1 :] = [
                value - factor * above
                for value, above in zip(line[column + 1 :], rows[column][column + 1 :], strict=True)
            ]


def _may_vanish(rows: Matrix, column: int) -> bool:
    """Whether the pivot of a column may be zero though the matrix is not singular."""
    return not rows[column][column].is_constant and any(not line[column].is_zero for line in rows[column + 1 :])
