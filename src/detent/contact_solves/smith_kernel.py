"""Smith's law (Predicting rebounds using rigid body dynamics, 1991): friction by the mean slip of the whole impact.

The normal velocity turns round with Newton's restitution. If the impulse that also stops the slip is inside the cone
of static friction, the slip stops; if not, the tangential impulse is

    P_t = -mu P_n m,    m = (|v-| v- + |v+| v+)/(|v-|^2 + |v+|^2),

v- and v+ being the slip before and after. With W = [[a, b^T], [b, C]] restitution gives P_n = (N - b.P_t)/a, where
N = -(1 + e) v_n, and with it v+ = v- + b N/a + (C - b b^T/a) P_t, so that P_t is the unknown.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.rest_kernel import leaving_direction, plane_length, slip_impulse
from detent.contact_solves.single_impact_frame import REVERSED, SLIP, STICK, ImpactEnd
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import called, inlined

_NOTHING: Final = 1e-13
"""What remains of velocities, relative to the terms that it is the sum of, where they cancel."""
_STAGES: Final = 1000
_SHORTEST: Final = 1e-9
"""The most stages by which b grows, and the shortest."""


@inlined
def _wanted(head):
    """N, the change of the normal velocity."""
    return -(1.0 + head.restitution) * head.before_n


@called
def _stopping(head):
    """(P_n, P_1, P_2) that stops the slip too, and whether static friction can give it."""
    pushed_1, pushed_2 = slip_impulse(head, head.W_n1, head.W_n2)
    back_1, back_2 = slip_impulse(head, head.before_1, head.before_2)
    rate = head.W_nn - head.W_n1 * pushed_1 - head.W_n2 * pushed_2
    if rate <= _NOTHING * head.W_nn:
        return 0.0, 0.0, 0.0, False
    P_n = (_wanted(head) + head.W_n1 * back_1 + head.W_n2 * back_2) / rate
    P_1, P_2 = -back_1 - pushed_1 * P_n, -back_2 - pushed_2 * P_n
    rest_1 = head.before_1 + head.W_n1 * P_n + head.W_11 * P_1 + head.W_12 * P_2
    rest_2 = head.before_2 + head.W_n2 * P_n + head.W_12 * P_1 + head.W_22 * P_2
    terms = head.size + plane_length(head.W_n1, head.W_n2) * P_n + (head.W_11 + head.W_22) * plane_length(P_1, P_2)
    stops = plane_length(rest_1, rest_2) <= _NOTHING * terms and plane_length(P_1, P_2) <= head.static_friction * P_n
    return P_n, P_1, P_2, stops


@inlined
def _after(head, part, P_1, P_2):
    """(P_n, v+) for a tangential impulse, with a part of b."""
    b_1, b_2 = part * head.W_n1, part * head.W_n2
    P_n = (_wanted(head) - b_1 * P_1 - b_2 * P_2) / head.W_nn
    y_1 = head.before_1 + b_1 * P_n + head.W_11 * P_1 + head.W_12 * P_2
    y_2 = head.before_2 + b_2 * P_n + head.W_12 * P_1 + head.W_22 * P_2
    return P_n, y_1, y_2


@called
def _missed(head, part, P_1, P_2):
    """P_t + mu P_n m, which is to be 0; both are infinite where P_n would pull."""
    P_n, y_1, y_2 = _after(head, part, P_1, P_2)
    before, after = plane_length(head.before_1, head.before_2), plane_length(y_1, y_2)
    whole = before * before + after * after
    if not P_n > 0.0:
        return math.inf, math.inf
    m_1, m_2 = (before * head.before_1 + after * y_1) / whole, (before * head.before_2 + after * y_2) / whole
    return P_1 + head.friction * P_n * m_1, P_2 + head.friction * P_n * m_2


@called
def _newton_step(head, part, P_1, P_2):
    """By how much P_t is to change, to first order."""
    P_n, y_1, y_2 = _after(head, part, P_1, P_2)
    mu, b_1, b_2, after = head.friction, part * head.W_n1, part * head.W_n2, plane_length(y_1, y_2)
    before = plane_length(head.before_1, head.before_2)
    whole = before * before + after * after
    m_1, m_2 = (before * head.before_1 + after * y_1) / whole, (before * head.before_2 + after * y_2) / whole
    # dy = S dP_t
    S_11, S_22 = head.W_11 - b_1 * b_1 / head.W_nn, head.W_22 - b_2 * b_2 / head.W_nn
    S_12 = head.W_12 - b_1 * b_2 / head.W_nn
    u_1, u_2 = (y_1 / after, y_2 / after) if after > 0.0 else (0.0, 0.0)
    # dm = B dy
    B_11, B_12 = (after + u_1 * y_1 - 2.0 * m_1 * y_1) / whole, (u_1 * y_2 - 2.0 * m_1 * y_2) / whole
    B_21, B_22 = (u_2 * y_1 - 2.0 * m_2 * y_1) / whole, (after + u_2 * y_2 - 2.0 * m_2 * y_2) / whole
    # d(P_t + mu P_n m) = J dP_t
    push, bend = mu / head.W_nn, mu * P_n
    J_11 = 1.0 - push * m_1 * b_1 + bend * (B_11 * S_11 + B_12 * S_12)
    J_12 = -push * m_1 * b_2 + bend * (B_11 * S_12 + B_12 * S_22)
    J_21 = -push * m_2 * b_1 + bend * (B_21 * S_11 + B_22 * S_12)
    J_22 = 1.0 - push * m_2 * b_2 + bend * (B_21 * S_12 + B_22 * S_22)
    r_1, r_2 = _missed(head, part, P_1, P_2)
    determinant = J_11 * J_22 - J_12 * J_21
    if determinant == 0.0:
        return 0.0, 0.0
    return -(J_22 * r_1 - J_12 * r_2) / determinant, -(J_11 * r_2 - J_21 * r_1) / determinant


@called
def _rounding(head, part, P_1, P_2):
    """What rounding makes of P_t + mu P_n m: v+ is a sum of terms that may be much larger than itself."""
    P_n, y_1, y_2 = _after(head, part, P_1, P_2)
    terms = plane_length(head.W_n1, head.W_n2) * P_n + (head.W_11 + head.W_22) * plane_length(P_1, P_2)
    slip = plane_length(head.slip, plane_length(y_1, y_2))
    return 64.0 * EPSILON * (1.0 + head.friction) * P_n * (1.0 + terms / slip)


@called
def _solved_for(head, part, P_1, P_2):
    """P_t for a part of b, from a guess; and whether it solves the equations to rounding."""
    for _ in range(60):
        r_1, r_2 = _missed(head, part, P_1, P_2)
        missed = plane_length(r_1, r_2)
        if not missed < math.inf:
            break
        d_1, d_2 = _newton_step(head, part, P_1, P_2)
        share = 1.0
        for _ in range(30):
            r_1, r_2 = _missed(head, part, P_1 + share * d_1, P_2 + share * d_2)
            if plane_length(r_1, r_2) < missed:
                break
            share *= 0.5
        else:  # as near as numbers can tell, or no solution
            return P_1, P_2, missed <= _rounding(head, part, P_1, P_2)
        P_1, P_2 = P_1 + share * d_1, P_2 + share * d_2
    return P_1, P_2, False


@called
def _sliding(head):
    """(P_1, P_2) of a contact that goes on slipping, and whether it was found.

    Newton's method. Where it fails, b grows to its value in stages, each begun with what solved the one before: as long
    as W is positive, the solution never goes to infinity on the way.
    """
    if head.slip == 0.0:
        m_1, m_2, _ = leaving_direction(head)
        mu = head.friction
        P_n = _wanted(head) / (head.W_nn - mu * (head.W_n1 * m_1 + head.W_n2 * m_2))
        return -mu * P_n * m_1, -mu * P_n * m_2, P_n > 0.0
    start = -head.friction * _wanted(head) / head.W_nn
    P_1, P_2, part, further = start * head.s_1, start * head.s_2, 0.0, 1.0
    for _ in range(_STAGES):
        further = min(further, 1.0 - part)
        next_1, next_2, found = _solved_for(head, part + further, P_1, P_2)
        if found:
            P_1, P_2, part, further = next_1, next_2, part + further, 2.0 * further
        else:
            further *= 0.5
        if part >= 1.0 or further < _SHORTEST:
            break
    return P_1, P_2, part >= 1.0


@called
def _slide(head):
    P_1, P_2, found = _sliding(head)
    if not found:
        head.outcome = ImpactEnd.NOT_CONVERGED
        return
    P_n, v_1, v_2 = _after(head, 1.0, P_1, P_2)
    head.P_n, head.P_1, head.P_2, head.v_1, head.v_2, head.outcome = P_n, P_1, P_2, v_1, v_2, ImpactEnd.OK
    head.phases |= SLIP
    if v_1 * head.before_1 + v_2 * head.before_2 < 0.0:
        head.phases |= REVERSED


@called
def strike_by_mean_slip(head):
    """The whole impact, without looking between its beginning and its end."""
    P_n, P_1, P_2, stops = _stopping(head)
    if stops:
        head.P_n, head.P_1, head.P_2, head.v_1, head.v_2, head.outcome = P_n, P_1, P_2, 0.0, 0.0, ImpactEnd.OK
        head.phases |= STICK
    else:
        _slide(head)
    head.v_n = -head.restitution * head.before_n
