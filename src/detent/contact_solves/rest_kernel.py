"""A contact at rest under a normal impulse: the friction that keeps it there, and where it goes if that is too much.

With W = [[a, b^T], [b, C]], a normal impulse of 1 and a tangential one of q change the slip by b + C q. It stays 0 for
q = -C^-1 b. Where that leaves the cone of friction, slip begins in the direction s that it then keeps,

    b - mu C s = k s,    |s| = 1,    k > 0:

s = (mu C + k)^-1 b has a length that falls with k, from above 1 to 0, so that there is exactly one.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.intrinsics import called, inlined

_NOTHING: Final = 1e-14
"""A yielding this small, relative to the one across it, is rounding: nothing moves that way."""


@inlined
def plane_length(x, y):
    """sqrt(x^2 + y^2)."""
    return math.sqrt(x * x + y * y)


@called
def principal_axes(head):
    """(large, small, e_1, e_2): the principal values of C, and the direction of the large one."""
    half, across = 0.5 * (head.W_11 - head.W_22), head.W_12
    radius, mean = plane_length(half, across), 0.5 * (head.W_11 + head.W_22)
    if radius == 0.0:
        return mean, mean, 1.0, 0.0
    if half >= 0.0:  # of two expressions for the same direction the one that subtracts nothing
        e_1, e_2 = half + radius, across
    else:
        e_1, e_2 = across, radius - half
    size = plane_length(e_1, e_2)
    large = mean + radius
    small = (head.W_11 * head.W_22 - across * across) / large if large > 0.0 else 0.0
    return large, small if small > _NOTHING * large else 0.0, e_1 / size, e_2 / size


@called
def slip_impulse(head, v_1, v_2):
    """C^-1 v: the tangential impulse that makes a slip of v; nothing along a direction in which nothing moves."""
    large, small, e_1, e_2 = principal_axes(head)
    along, across = v_1 * e_1 + v_2 * e_2, v_2 * e_1 - v_1 * e_2
    along = along / large if large > 0.0 else 0.0
    across = across / small if small > 0.0 else 0.0
    return along * e_1 - across * e_2, along * e_2 + across * e_1


@called
def holding_friction(head):
    """(q_1, q_2) = -C^-1 b."""
    q_1, q_2 = slip_impulse(head, head.W_n1, head.W_n2)
    return -q_1, -q_2


@called
def leaving_direction(head):
    """(s_1, s_2, k) where the contact cannot be held: the direction of slip, and how fast it grows.

    Newton's method on 1/|s(k)| = 1, which is concave in k: from the left it comes nearer from the left each time.
    """
    large, small, e_1, e_2 = principal_axes(head)
    along, across = head.W_n1 * e_1 + head.W_n2 * e_2, head.W_n2 * e_1 - head.W_n1 * e_2
    if small == 0.0 and large > 0.0:  # b has no part where nothing moves, but for rounding
        across = 0.0
    hard, soft = head.friction * large, head.friction * small
    k = max(0.0, plane_length(along, across) - hard)
    x, y = 0.0, 0.0
    for _ in range(100):
        x = along / (hard + k) if along != 0.0 else 0.0
        y = across / (soft + k) if across != 0.0 else 0.0
        size = plane_length(x, y)
        falling = (x * x / (hard + k) if x != 0.0 else 0.0) + (y * y / (soft + k) if y != 0.0 else 0.0)
        step = (size - 1.0) * size * size / falling
        if not k + step > k:
            break
        k += step
    size = plane_length(x, y)
    x, y = x / size, y / size
    return x * e_1 - y * e_2, x * e_2 + y * e_1, k
