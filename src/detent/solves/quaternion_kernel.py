"""Quaternions of length one."""

from __future__ import annotations

import math

from detent.jit.intrinsics import as_words, called


@called
def unit_quaternions(head, x):
    places = as_words(head.quaternions)
    for k in range(head.quaternion_count):
        total = 0.0
        for i in range(4):
            total += x[places[4 * k + i]] * x[places[4 * k + i]]
        length = math.sqrt(total)
        for i in range(4):
            x[places[4 * k + i]] /= length
