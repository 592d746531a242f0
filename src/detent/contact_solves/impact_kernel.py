"""The impact of one contact with friction, in the plane and in space.

The normal impulse p takes the place of time (Keller, Impact with friction, 1986). While the contact slips in the
direction s, dv/dp = W (1, -mu s); while it sticks, dv/dp = W (1, q) with q such that slip stays 0. Both are straight
lines wherever slip keeps its direction (Routh 1860), and their ends are known in closed form; where slip turns it is
followed by its Taylor series (:mod:`detent.contact_solves.slip_series_kernel`). Slip that stops sticks if the friction
that this needs is inside the cone, and otherwise leaves in the one direction that is possible.

Compression ends where v_n = 0; restitution ends as the law says (:mod:`detent.contact_solves.impact_laws_kernel`). In
space slip may turn so that bodies approach again before that: then compression goes on, with what it adds.

An impact without collision is one with v_n = 0 whose slip would make v_n fall: it begins with compression like any
other. Where v_n = 0 and slip does not do that, there is none, and the impulse is 0.
"""

from __future__ import annotations

import math
from typing import Final

from numba import types

from detent.contact_solves.rest_kernel import holding_friction, leaving_direction, plane_length
from detent.contact_solves.single_impact_frame import (
    COMPRESSION,
    REVERSED,
    ROOM_AT,
    SINGLE_IMPACT,
    SLIP,
    STICK,
    ImpactEnd,
    Law,
)
from detent.contact_solves.slip_kernel import approach_rate, follows_a_line, slip_rate
from detent.contact_solves.slip_series_kernel import slip_along_a_curve
from detent.contact_solves.smith_kernel import strike_by_mean_slip
from detent.contact_solves.stage_kernel import NOTHING, account, end_stage, stage_ends_after
from detent.jit.intrinsics import called, kernel, record_reader

as_single_impact: Final = record_reader(SINGLE_IMPACT)

_LIMIT: Final = 1000
"""Lines and steps along curves; impacts have about ten."""


@called
def _is_possible(head):
    """Whether the numbers describe an impact; W may be singular, but for rounding not less."""
    slack = NOTHING * (head.W_nn + head.W_11 + head.W_22)
    q_1, q_2 = holding_friction(head)
    return (
        Law.POISSON <= head.law <= Law.PLASTIC
        and head.before_n <= 0.0
        and abs(head.before_n) + abs(head.before_1) + abs(head.before_2) < math.inf
        and 0.0 <= head.restitution <= 1.0
        and 0.0 <= head.friction <= head.static_friction < math.inf
        and 0.0 <= head.W_nn + head.W_11 + head.W_22 < math.inf
        and min(head.W_nn, head.W_11, head.W_22) >= 0.0
        and -slack * (head.W_11 + head.W_22) <= head.W_11 * head.W_22 - head.W_12 * head.W_12
        and head.W_nn + head.W_n1 * q_1 + head.W_n2 * q_2 >= -slack
    )


@called
def _begin(head):
    """The velocity before, no impulse yet."""
    head.P_n = head.P_1 = head.P_2 = head.energy = 0.0
    head.v_n, head.v_1, head.v_2 = head.before_n, head.before_1, head.before_2
    head.compression_impulse = head.restitution_impulse = head.compression_work = head.restitution_work = 0.0
    head.phases, head.stage, head.keeps_direction = 0, COMPRESSION, 0
    head.slip, head.stopped_at = plane_length(head.before_1, head.before_2), math.inf
    head.size = max(abs(head.before_n), head.slip)
    head.s_1 = head.before_1 / head.slip if head.slip > 0.0 else 0.0
    head.s_2 = head.before_2 / head.slip if head.slip > 0.0 else 0.0
    head.outcome = ImpactEnd.UNDER_WAY if _is_possible(head) else ImpactEnd.BAD_INPUT
    if (
        head.before_n == 0.0
        and (head.slip == 0.0 or approach_rate(head) >= 0.0)
        and head.outcome == ImpactEnd.UNDER_WAY
    ):
        head.outcome = ImpactEnd.OK


@called
def _go_straight(head, rate, growth, q_1, q_2, stops):
    """Along a line: v_n changes by ``rate``, slip by ``growth``, the impulse by (1, q); slip stops after ``stops``."""
    ends, falls = stage_ends_after(head, rate)
    p = min(ends, stops)
    if p == math.inf:
        head.outcome = ImpactEnd.ENDLESS if head.stage == COMPRESSION else ImpactEnd.LOCKED
        return
    account(head, p, p * (head.v_n + 0.5 * rate * p))
    head.P_1 += q_1 * p
    head.P_2 += q_2 * p
    head.v_n += rate * p
    if stops <= ends:
        head.slip, head.stopped_at = 0.0, head.P_n
    else:
        head.slip = max(0.0, head.slip + growth * p)
    if ends <= stops:
        end_stage(head, falls)


@called
def _slip_straight(head):
    """To the stop, or for good: slip that grows does so in one direction, and is so near to it that it is put there."""
    if head.keeps_direction == 0 and slip_rate(head) > 0.0:
        head.s_1, head.s_2, _ = leaving_direction(head)
    growth, mu = slip_rate(head), head.friction
    head.keeps_direction = 1
    stops = head.slip / -growth if growth < 0.0 else math.inf
    _go_straight(head, approach_rate(head), growth, -mu * head.s_1, -mu * head.s_2, stops)


@called
def _stick(head, q_1, q_2):
    """No velocity along the contact. W is positive, so the approach never grows; a rate within rounding is none."""
    rate, q = head.W_nn + head.W_n1 * q_1 + head.W_n2 * q_2, plane_length(q_1, q_2)
    terms = head.W_nn + q * (plane_length(head.W_n1, head.W_n2) + q * (head.W_11 + head.W_22))
    head.phases |= STICK
    _go_straight(head, rate if rate > NOTHING * terms else 0.0, 0.0, q_1, q_2, math.inf)


@called
def _leave(head):
    """Slip grows from 0, in the direction that it keeps. The approach never grows: otherwise it would have stuck."""
    s_1, s_2, growth = leaving_direction(head)
    if head.phases & SLIP:
        head.phases |= REVERSED
    head.phases |= SLIP
    head.s_1, head.s_2, head.keeps_direction = s_1, s_2, 1
    rate = max(0.0, approach_rate(head))
    _go_straight(head, rate, growth, -head.friction * s_1, -head.friction * s_2, math.inf)


@called
def _from_rest(head):
    q_1, q_2 = holding_friction(head)
    if plane_length(q_1, q_2) <= head.static_friction:
        _stick(head, q_1, q_2)
    else:
        _leave(head)


@called
def _follow(head, room):
    """From the velocity before to the end of restitution."""
    if head.slip > 0.0 and head.outcome == ImpactEnd.UNDER_WAY:
        head.phases |= SLIP
    for _ in range(_LIMIT):
        if head.outcome != ImpactEnd.UNDER_WAY:
            break
        if head.slip == 0.0:
            _from_rest(head)
        elif follows_a_line(head):
            _slip_straight(head)
        else:
            slip_along_a_curve(head, room)
    head.v_1, head.v_2 = head.slip * head.s_1 + 0.0, head.slip * head.s_2 + 0.0  # no -0.0 where it sticks


@called
def _judge(head):
    """The energy of the impact, and whether it grew: more than rounding could make of it."""
    if head.outcome == ImpactEnd.UNDER_WAY:
        head.outcome = ImpactEnd.NOT_CONVERGED
    n = head.P_n * (head.before_n + head.v_n)
    first, second = head.P_1 * (head.before_1 + head.v_1), head.P_2 * (head.before_2 + head.v_2)
    head.energy = 0.5 * (n + first + second)
    impulse = abs(head.P_n) + abs(head.P_1) + abs(head.P_2)
    if head.outcome == ImpactEnd.OK and head.energy > NOTHING * impulse * head.size:
        head.outcome = ImpactEnd.GAIN


@called
def single_impact(context):
    """The impact that the record at an address describes, worked out there; its outcome. Kernels call this."""
    head = as_single_impact(context)
    _begin(head)
    if head.outcome == ImpactEnd.UNDER_WAY and head.law == Law.SMITH and head.before_n < 0.0:
        strike_by_mean_slip(head)
    else:
        _follow(head, context + ROOM_AT)
    _judge(head)
    return head.outcome


@kernel(types.int64(types.int64))
def strike_single(context):
    """The same, for Python."""
    return single_impact(context)
