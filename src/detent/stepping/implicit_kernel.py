"""An implicit step: collocation at Radau's nodes, solved by Newton's method.

Friction turns a slow slip into its direction within a time of about slip / (mu N/m), and where slip begins at zero
explicit steps must be shorter than that. Radau's collocation is stable whatever the step, and what is fast has died
away at its end, which is one of its nodes (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.5). The
step is a polynomial; from it come the rates that the stages of the method would have found, so that error, dense output
and events are those of any other step.

Only some entries of the state may be fast, the speeds. For these the equations

    k_i = f(t + c_i h, x + h sum_j a_ij k_j)

are solved by Newton's method; the others follow by repeating. Derivatives are differences, at every node: where slip
grows from zero they change by orders of magnitude along a step.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.elimination_kernel import solve
from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, call_cell, called, inlined, kernel, record_reader
from detent.stepping.frame import COUNTERS, CURRENT
from detent.stepping.implicit_frame import IMPLICIT, NODES, NOT_SOLVED

_as_implicit: Final = record_reader(IMPLICIT)
_as_counters: Final = record_reader(COUNTERS)
_as_current: Final = record_reader(CURRENT)

_NUDGE: Final = 2.0**16 * EPSILON
"""How far an entry is moved for a difference, relative to the largest: some digits above rounding, and short of the
slowest slip that is not straight."""
_MOST: Final = 14
_SOLVED: Final = 1e-3
"""Iterations end where they change the step by less than this part of the tolerance."""
_SURELY: Final = 3
_NOISE: Final = 0.1
"""After the first ones also where changes are below this part and no longer become smaller: that is rounding."""
_POWERS: Final = 8
_SAME: Final = 1e-6
"""Two times are one that differ by less than this part of a step."""
_FARTHEST: Final = 20.0
_THIRD: Final = 0
_APART: Final = 3
"""The three nodes that tell how rates go on: the first, the middle one and the last."""


@inlined
def _row(block, array, node):
    return array + WORD * node * block.width


@called
def _evaluate(block, time, state, values, out):
    _as_counters(block.counters).evaluations += 1
    return call_cell(_as_current(block.current).rates, time, state, values, out)


@called
def _guess_by_start(block):
    """The rates at all nodes are that of the start."""
    slopes, rate, width = as_doubles(block.slopes_at), as_doubles(block.rates), block.width
    for k in range(NODES):
        for i in range(width):
            slopes[k * width + i] = rate[i]


@called
def _weight(nodes, first, stride, j, place):
    """The polynomial of a node, among every ``stride``-th from ``first`` on, at a place."""
    weight = 1.0
    for other in range(first, NODES, stride):
        if other != j:
            weight *= (place - nodes[other]) / (nodes[j] - nodes[other])
    return weight


@called
def _guess_by_last(block, before, ratio, first, stride):
    """The rates at the nodes by the polynomial that was found last, or by a part of it.

    That step began ``before`` this one, in units of its own size, and this one is ``ratio`` as long.
    """
    slopes, nodes, width = as_doubles(block.slopes_at), as_doubles(block.nodes), block.width
    kept = as_doubles(block.rates_at)  # room that is not in use yet
    for i in range(NODES * width):
        kept[i] = slopes[i]
    for k in range(NODES):
        for i in range(width):
            slopes[k * width + i] = 0.0
        for j in range(first, NODES, stride):
            weight = _weight(nodes, first, stride, j, before + nodes[k] * ratio)
            for i in range(width):
                slopes[k * width + i] += weight * kept[j * width + i]


@called
def _guess(block, time, step):
    """Rates at the nodes, to begin with; whether more than that of the start is known.

    Slip that is slow must be known to less than itself, or its direction is anything: what the last step has found is
    better by some powers of the step. Far beyond its end three of its nodes tell more than all.
    """
    size = block.solved_size
    if block.solved_from == time and step <= size:
        _guess_by_last(block, 0.0, step / size, 0, 1)
    elif abs(block.solved_from + size - time) <= _SAME * size and step <= _FARTHEST * size:
        _guess_by_last(block, 1.0, step / size, _THIRD, _APART)
    else:
        _guess_by_start(block)
        return False
    return True


@called
def _combine(block, state, step, node, out):
    """out = the state at a node by the rates that are sought."""
    start, slopes, target = as_doubles(state), as_doubles(block.slopes_at), as_doubles(out)
    weights, width = as_doubles(block.integrals + WORD * node * NODES), block.width
    for i in range(width):
        total = 0.0
        for j in range(NODES):
            total += weights[j] * slopes[j * width + i]
        target[i] = start[i] + step * total


@called
def _evaluate_nodes(block, time, state, values, step):
    """States at the nodes, and the rates of these; whether there are any."""
    nodes, status = as_doubles(block.nodes), OK
    for k in range(NODES):
        at_node = _row(block, block.states_at, k)
        _combine(block, state, step, k, at_node)
        if status == OK:
            status = _evaluate(block, time + nodes[k] * step, at_node, values, _row(block, block.rates_at, k))
    return status == OK


@called
def _differentiate(block, k, time, values, step):
    """How the rates of the fast entries change with these, at a node."""
    n, first = block.count, block.first
    x, f = as_doubles(_row(block, block.states_at, k)), as_doubles(_row(block, block.rates_at, k))
    moved_rates, out, scale = as_doubles(block.trial), as_doubles(block.derivatives), 0.0
    for i in range(first, first + n):
        scale = max(scale, abs(x[i]), step * abs(f[i]))
    for j in range(n):
        before = x[first + j]
        x[first + j] = before + _NUDGE * max(scale, EPSILON)
        nudge = x[first + j] - before
        status = _evaluate(block, time, _row(block, block.states_at, k), values, block.trial)
        x[first + j] = before
        if status != OK:
            return False
        for i in range(n):
            out[(k * n + i) * n + j] = (moved_rates[first + i] - f[first + i]) / nudge
    return True


@called
def _differentiate_all(block, time, values, step):
    """The same at every node; whether all have rates."""
    nodes, found = as_doubles(block.nodes), True
    for k in range(NODES):
        found = found and _differentiate(block, k, time + nodes[k] * step, values, step)
    return found


@called
def _correct(block, step):
    """One step of Newton's method for the fast entries, in ``right``; whether there is one."""
    n, first, width = block.count, block.first, block.width
    matrix, right, derivatives = as_doubles(block.matrix), as_doubles(block.right), as_doubles(block.derivatives)
    slopes, rates, weights = as_doubles(block.slopes_at), as_doubles(block.rates_at), as_doubles(block.integrals)
    size = NODES * n
    for k in range(NODES):
        for i in range(n):
            row = k * n + i
            right[row] = rates[k * width + first + i] - slopes[k * width + first + i]
            for j in range(NODES):
                weight = step * weights[k * NODES + j]
                for c in range(n):
                    matrix[row * size + j * n + c] = -weight * derivatives[row * n + c]
            matrix[row * size + row] += 1.0
    return solve(matrix, size, right, 1) != 0


@called
def _apply(block, state, step):
    """Take the corrections; by how much they change the step, in units of the tolerance."""
    n, first, width = block.count, block.first, block.width
    start, absolute, right = as_doubles(state), as_doubles(block.absolute), as_doubles(block.right)
    slopes, rates, largest = as_doubles(block.slopes_at), as_doubles(block.rates_at), 0.0
    for k in range(NODES):
        total = 0.0
        for i in range(width):
            at = k * width + i
            change = right[k * n + i - first] if first <= i < first + n else rates[at] - slopes[at]
            slopes[at] += change
            if i < block.controlled:
                part = step * abs(change) / (absolute[i] + block.relative * abs(start[i]))
                total += part * part
        if not total < math.inf:
            return math.inf
        largest = max(largest, total)
    return math.sqrt(largest / max(1, block.controlled))


@called
def _solve(block, time, state, values, step):
    """Whether the equations of the step could be solved."""
    before, size = math.inf, math.inf
    for number in range(_MOST):
        if not _evaluate_nodes(block, time, state, values, step):
            return False
        slow = number < _SURELY or size > 0.1 * before
        if slow and not _differentiate_all(block, time, values, step):
            return False
        if not _correct(block, step):
            return False
        before, size = size, _apply(block, state, step)
        if not size < math.inf:
            return False
        if number > _SURELY and size > max(_NOISE, 0.5 * before):
            return False
        if size <= _SOLVED or (number >= _SURELY and 0.5 * before < size <= _NOISE):
            return True
    return False


@called
def _fastest(block, k):
    """About the largest rate at which something changes by itself at a node, by powers."""
    n = block.count
    derivatives = as_doubles(block.derivatives + WORD * k * n * n)
    way, other, rate = as_doubles(block.way), as_doubles(block.way + WORD * n), 0.0
    for i in range(n):
        way[i] = 1.0 + 0.1 * i  # any direction will do that is not by chance across the fastest
    for _ in range(_POWERS):
        length, before = 0.0, 0.0
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += derivatives[i * n + j] * way[j]
            other[i] = total
            length += total * total
            before += way[i] * way[i]
        if not 0.0 < length < math.inf:
            return 0.0
        rate = math.sqrt(length / before)
        for i in range(n):
            way[i] = other[i] / math.sqrt(length)
    return rate


@called
def _write(block, state, step):
    """The state at the end, and the rates that the method's stages would have found on the way."""
    _combine(block, state, step, NODES - 1, block.trial)
    slopes, weights, width = as_doubles(block.slopes_at), as_doubles(block.at_stages), block.width
    for row in range(1, block.rows):
        out = as_doubles(_row(block, block.rates, row))
        for i in range(width):
            total = 0.0
            for j in range(NODES):
                total += weights[row * NODES + j] * slopes[j * width + i]
            out[i] = total


@called
def _look(block, time, state, values):
    """What is fastest at the start, as if that were a node."""
    x, f = as_doubles(block.states_at), as_doubles(block.rates_at)
    for i in range(block.width):
        x[i], f[i] = as_doubles(state)[i], as_doubles(block.rates)[i]
    block.fastest = _fastest(block, 0) if _differentiate(block, 0, time, values, 0.0) else 0.0
    block.solved_from = math.nan


@kernel(ADDRESSES)
def step_implicitly(context, time, state, values, out):
    """The trial, and the rates of all stages of the method: OK, or NOT_SOLVED.

    With no size, only look how fast things change by themselves.
    """
    block = _as_implicit(context)
    step = block.size
    if step == 0.0:
        _look(block, time, state, values)
        return OK
    known = _guess(block, time, step)
    solved = _solve(block, time, state, values, step)
    if not solved and known:
        _guess_by_start(block)
        solved = _solve(block, time, state, values, step)
    if not solved:
        block.solved_from = math.nan
        return NOT_SOLVED
    block.solved_from, block.solved_size = time, step
    block.fastest = _fastest(block, NODES - 1)
    _write(block, state, step)
    return OK
