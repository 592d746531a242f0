"""Where steps are to be implicit: where they are short only because explicit ones would not stay bounded."""

from __future__ import annotations

import math
from typing import Final

from detent.jit.intrinsics import as_doubles, inlined, record_reader
from detent.stepping.frame import LOOKS_FIRST, Control, StepFrame
from detent.stepping.implicit_frame import IMPLICIT
from detent.stepping.step_kernel import (
    as_clock,
    as_current,
    combine,
    rate_row,
    scaled_squares,
    step_implicitly,
)

_as_implicit: Final = record_reader(IMPLICIT)

_TOO_LONG: Final = 0.4
"""An explicit step that has torn is longer than this part of the longest that is stable: it is taken again, shorter."""
_AT_THE_LIMIT: Final = 0.15
"""From this part on an explicit step may be short for that alone: sizes go up and down."""
_TORN: Final = 0.01
"""What two rates at the end of a step differ by, over the step, does no harm below this part of the tolerance."""
_IN_A_ROW: Final = 4.0
_FAR_BEYOND: Final = 15.0
"""Implicit steps go on while their size times the rate is above this: each costs some dozen of the others."""
_SURELY_BEYOND: Final = 100.0
"""They begin with the first one, as long as what is fastest takes, where the last step would be so much too long."""
_FEW: Final = 4.0
"""They go on for so many in any case: what explicit steps at their limit leave behind must first die away."""
_LONGEST_WAIT: Final = 1024.0
_WITHIN: Final = 3.0
"""An implicit step that is as short as this by the rate and cannot be solved for might as well be explicit."""


@inlined
def _rate_seen(frame: StepFrame, step: float) -> tuple[float, bool]:
    """The rate at which the fast entries change by themselves, and whether they die away, from two states at the end
    of an explicit step: the last stage of the method is there too (Hairer and Wanner, section IV.2).
    """
    block, last = _as_implicit(frame.implicit), frame.stages - 1
    combine(frame, last, frame.state, step, frame.argument)
    one, other = as_doubles(frame.trial), as_doubles(frame.argument)
    rate, before = as_doubles(rate_row(frame, frame.stages)), as_doubles(rate_row(frame, last))
    apart, faster, along = 0.0, 0.0, 0.0
    for i in range(block.first, block.first + block.count):
        apart += (one[i] - other[i]) ** 2
        faster += (rate[i] - before[i]) ** 2
        along += (one[i] - other[i]) * (rate[i] - before[i])
    return (math.sqrt(faster / apart) if apart > 0.0 else 0.0), along < 0.0


@inlined
def _is_offered(frame: StepFrame) -> bool:
    offered: bool = _as_implicit(frame.implicit).kernel != 0 and as_current(frame.current).crosses == 0
    return offered


@inlined
def is_limited(frame: StepFrame, step: float) -> bool:
    """Whether a trial is an explicit step about as long as stability allows, where implicit ones might be longer."""
    if not _is_offered(frame) or as_clock(frame.clock).implicit > 0.0:
        return False
    rate, _ = _rate_seen(frame, step)
    limited: bool = step * rate > _AT_THE_LIMIT * _as_implicit(frame.implicit).longest
    return limited


@inlined
def _is_torn(frame: StepFrame, control: Control, step: float) -> bool:
    """Whether two rates at the end of an explicit step, over the step, differ by some of the tolerance."""
    rate, before = as_doubles(rate_row(frame, frame.stages)), as_doubles(rate_row(frame, frame.stages - 1))
    apart = as_doubles(frame.argument)
    for i in range(frame.width):
        apart[i] = step * (rate[i] - before[i])
    squares = scaled_squares(frame, control, frame.state, frame.trial, frame.argument)
    return squares > _TORN * _TORN * max(1, frame.controlled)


@inlined
def is_unstable(frame: StepFrame, control: Control, step: float) -> bool:
    """Whether an explicit step is about as long as stays bounded, and has torn: its error and dense output are none.

    So it is where slips in space end among others: what is aside of them dies away ever faster. The end of such a step
    may be right, but forces in it, which go by the direction of a slip however slow that is, left their cones. Where
    something grows, as a force does where friction is about to leave no acceleration, shorter steps are no help.
    """
    if not _is_offered(frame) or as_clock(frame.clock).implicit > 0.0:
        return False
    if not _is_torn(frame, control, step):
        return False
    rate, dies_away = _rate_seen(frame, step)
    unstable: bool = dies_away and step * rate > _TOO_LONG * _as_implicit(frame.implicit).longest
    return unstable


@inlined
def _judge_implicit(frame: StepFrame) -> None:
    """After an implicit step, with the size of the next one: whether that is to be implicit too.

    Where it soon is not, there is longer to wait the next time.
    """
    clock, block = as_clock(frame.clock), _as_implicit(frame.implicit)
    if clock.next_step * block.fastest >= _FAR_BEYOND or clock.implicit <= _FEW:
        clock.implicit += 1.0
        return
    soon = clock.implicit <= 2.0 * _FEW
    clock.wait = min(_LONGEST_WAIT, 2.0 * max(_IN_A_ROW, clock.wait)) if soon else 0.0
    clock.implicit = 0.0


@inlined
def judge_stiffness(frame: StepFrame, limited: bool, ends: bool) -> None:
    """Before a step is accepted: whether the next one is to be implicit.

    ``limited``: it was explicit, and about as long as stability allows; ``ends``: a guard ends it, and all begins anew.
    """
    if not _is_offered(frame):
        return
    clock = as_clock(frame.clock)
    if ends:
        clock.implicit, clock.limited, clock.wait = LOOKS_FIRST, 0.0, 0.0
    elif clock.implicit > 0.0:
        _judge_implicit(frame)
    else:
        clock.limited = clock.limited + 1.0 if limited else 0.0
        if clock.limited >= max(_IN_A_ROW, clock.wait):
            clock.implicit, clock.limited = 1.0, 0.0


@inlined
def look_for_stiffness(frame: StepFrame) -> None:
    """Where all begins anew: whether the first step is to be implicit.

    Explicit steps find that out too, but their estimates of errors are made for what is smooth: where slip has just
    begun, and its direction is anything within a step, one of them was short of the error by orders of magnitude.
    """
    clock = as_clock(frame.clock)
    if clock.implicit >= 0.0:
        return
    clock.implicit = 0.0
    if not _is_offered(frame):
        return
    step_implicitly(frame, clock.time, 0.0)
    fastest = _as_implicit(frame.implicit).fastest
    if clock.next_step * fastest > _SURELY_BEYOND:
        clock.implicit, clock.next_step = 1.0, 1.0 / fastest


@inlined
def retreat_from_implicit(frame: StepFrame, step: float, solved: bool) -> None:
    """The equations of an implicit step could not be solved: the next trial is shorter, at last explicit.

    So it is at once where the step itself was ``solved`` for, but not its parts that lead to a guard.
    """
    clock = as_clock(frame.clock)
    if solved or step * _as_implicit(frame.implicit).fastest < _WITHIN:
        clock.implicit, clock.wait = 0.0, min(_LONGEST_WAIT, 2.0 * max(_IN_A_ROW, clock.wait))
