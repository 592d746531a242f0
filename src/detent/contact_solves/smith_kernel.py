"""Smith's law (Predicting rebounds using rigid body dynamics, 1991): friction by the mean slip of the whole impact.

The normal velocity turns round with Newton's restitution. If the impulse that also stops the slip is inside the cone
of static friction, the slip stops; if not, the tangential impulse is

    P_t = -mu P_n m,    m = (|v-| v- + |v+| v+)/(|v-|^2 + |v+|^2),

v- and v+ being the slip before and after. Its unknown is m, in the unit disk: P_n = -(1 + e) v_n/(a - mu b.m).
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.rest_kernel import leaving_direction, length, slip_impulse
from detent.contact_solves.single_impact_frame import REVERSED, SLIP, STICK, Outcome
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import called, inlined

_NOTHING: Final = 1e-13
_STAGES: Final = 16
"""Friction grows to its value in so many stages, each begun with what solved the one before."""


@inlined
def _finish(head, P_n, P_1, P_2):
    head.P_n, head.P_1, head.P_2 = P_n, P_1, P_2
    head.v_n = -head.restitution * head.before_n
    head.outcome = Outcome.OK


@called
def _stops(head):
    """Stop the slip, if static friction can."""
    pushed_1, pushed_2 = slip_impulse(head, head.W_n1, head.W_n2)
    back_1, back_2 = slip_impulse(head, head.before_1, head.before_2)
    rate = head.W_nn - head.W_n1 * pushed_1 - head.W_n2 * pushed_2
    if rate <= _NOTHING * head.W_nn:
        return False
    wanted = -(1.0 + head.restitution) * head.before_n
    P_n = (wanted + head.W_n1 * back_1 + head.W_n2 * back_2) / rate
    P_1, P_2 = -back_1 - pushed_1 * P_n, -back_2 - pushed_2 * P_n
    rest_1 = head.before_1 + head.W_n1 * P_n + head.W_11 * P_1 + head.W_12 * P_2
    rest_2 = head.before_2 + head.W_n2 * P_n + head.W_12 * P_1 + head.W_22 * P_2
    if length(rest_1, rest_2) > _NOTHING * head.size or length(P_1, P_2) > head.static_friction * P_n:
        return False
    _finish(head, P_n, P_1, P_2)
    head.slip = head.v_1 = head.v_2 = 0.0
    head.phases |= STICK
    return True


@inlined
def _slip_after(head, mu, m_1, m_2):
    """(P_n, v+) for a mean slip; P_n is infinite where friction would take more than it gives."""
    yielding = head.W_nn - mu * (head.W_n1 * m_1 + head.W_n2 * m_2)
    P_n = -(1.0 + head.restitution) * head.before_n / yielding if yielding > 0.0 else math.inf
    y_1 = head.before_1 + P_n * (head.W_n1 - mu * (head.W_11 * m_1 + head.W_12 * m_2))
    y_2 = head.before_2 + P_n * (head.W_n2 - mu * (head.W_12 * m_1 + head.W_22 * m_2))
    return P_n, y_1, y_2


@called
def _missed(head, mu, m_1, m_2):
    """(|v-|^2 + |v+|^2) m - |v-| v- - |v+| v+, which is to be 0."""
    _, y_1, y_2 = _slip_after(head, mu, m_1, m_2)
    before, after = length(head.before_1, head.before_2), length(y_1, y_2)
    whole = before * before + after * after
    return whole * m_1 - before * head.before_1 - after * y_1, whole * m_2 - before * head.before_2 - after * y_2, whole


@called
def _newton_step(head, mu, m_1, m_2):
    """By how much m is to change, to first order."""
    P_n, y_1, y_2 = _slip_after(head, mu, m_1, m_2)
    size = length(y_1, y_2)
    grows = mu / (head.W_nn - mu * (head.W_n1 * m_1 + head.W_n2 * m_2))
    f_1 = head.W_n1 - mu * (head.W_11 * m_1 + head.W_12 * m_2)
    f_2 = head.W_n2 - mu * (head.W_12 * m_1 + head.W_22 * m_2)
    # dy = A dm
    A_11, A_12 = P_n * (f_1 * grows * head.W_n1 - mu * head.W_11), P_n * (f_1 * grows * head.W_n2 - mu * head.W_12)
    A_21, A_22 = P_n * (f_2 * grows * head.W_n1 - mu * head.W_12), P_n * (f_2 * grows * head.W_n2 - mu * head.W_22)
    u_1, u_2 = (y_1 / size, y_2 / size) if size > 0.0 else (0.0, 0.0)
    # d(|y|^2 m - |y| y) = B dy + |y|^2 dm
    B_11, B_12 = 2.0 * m_1 * y_1 - size - u_1 * y_1, 2.0 * m_1 * y_2 - u_1 * y_2
    B_21, B_22 = 2.0 * m_2 * y_1 - u_2 * y_1, 2.0 * m_2 * y_2 - size - u_2 * y_2
    r_1, r_2, whole = _missed(head, mu, m_1, m_2)
    J_11, J_12 = whole + B_11 * A_11 + B_12 * A_21, B_11 * A_12 + B_12 * A_22
    J_21, J_22 = B_21 * A_11 + B_22 * A_21, whole + B_21 * A_12 + B_22 * A_22
    determinant = J_11 * J_22 - J_12 * J_21
    if determinant == 0.0:
        return 0.0, 0.0
    return -(J_22 * r_1 - J_12 * r_2) / determinant, -(J_11 * r_2 - J_21 * r_1) / determinant


@called
def _solved_for(head, mu, m_1, m_2):
    """m for a friction, from a guess; (m, whether it solves the equations to rounding)."""
    for _ in range(50):
        r_1, r_2, whole = _missed(head, mu, m_1, m_2)
        missed = length(r_1, r_2)
        if missed <= 4.0 * EPSILON * whole:
            return m_1, m_2, True
        d_1, d_2 = _newton_step(head, mu, m_1, m_2)
        share = 1.0
        for _ in range(40):
            r_1, r_2, other = _missed(head, mu, m_1 + share * d_1, m_2 + share * d_2)
            if length(r_1, r_2) * whole < missed * other:
                break
            share *= 0.5
        else:
            return m_1, m_2, missed <= 256.0 * EPSILON * whole
        m_1, m_2 = m_1 + share * d_1, m_2 + share * d_2
    return m_1, m_2, False


@called
def _mean_slip(head):
    """(m, whether it was found)."""
    if head.slip == 0.0:
        m_1, m_2, _ = leaving_direction(head)
        return m_1, m_2, True
    m_1, m_2, found = head.s_1, head.s_2, False
    for stage in range(_STAGES + 1):
        m_1, m_2, found = _solved_for(head, head.friction * stage / _STAGES, m_1, m_2)
        if not found:
            break
    return m_1, m_2, found


@called
def strike_by_mean_slip(head):
    """The whole impact, without looking between its beginning and its end."""
    if _stops(head):
        return
    m_1, m_2, found = _mean_slip(head)
    P_n, y_1, y_2 = _slip_after(head, head.friction, m_1, m_2)
    if not found or not P_n < math.inf:
        head.outcome = Outcome.NOT_CONVERGED
        return
    _finish(head, P_n, -head.friction * P_n * m_1, -head.friction * P_n * m_2)
    head.v_1, head.v_2 = y_1, y_2
    head.phases |= SLIP
    if y_1 * head.before_1 + y_2 * head.before_2 < 0.0:
        head.phases |= REVERSED
