"""Events along steps that another solver takes, on its own dense output.

Nothing bounds what such a solver does between two points, so this search is not certified. Guards are looked at in
eight places of each step, at states that are brought onto the constraints: a solver holds these to its tolerance alone,
and what follows an event takes for granted that they hold. A change of sign between two places is halved down to
neighbouring times; and where a guard comes nearer to zero at one place and leaves it again at the next, its rate is
followed to where it turns, and it is looked at there. What is missed has to pass zero and come back, with two turns,
within an eighth of a step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from detent.events import event_frame as at
from detent.events.kernels import EXCURSIONS
from detent.events.rounding import CLOCK_RESOLUTION, TERMS_ROUNDING, VIOLATION
from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.jit.calling import call_once
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE
from detent.stepping.partners import SignChange, Step
from detent.stepping.status import Status

LOOKS: Final = 8
"""How often guards are looked at along a step."""

States: TypeAlias = Callable[[float], FloatArray]


class _Look(NamedTuple):
    """What is seen at a time: the value of each guard, its rate, and its sign within rounding.

    What a mode requires comes after the guards, with the slack that it has added to it.
    """

    time: float
    values: FloatArray
    rates: FloatArray
    signs: NDArray[np.int64]


class _NoLook(Exception):
    """Ends a search in which a guard could not be looked at."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


@final
class TakenSearch:
    """Looks at the guards of one mode; ``signs`` are where they stand, as the kernels keep them."""

    def __init__(
        self, words: ctypes.Array[ctypes.c_int64], watched: NDArray[np.int64], signs: NDArray[np.int64],
        entry: NDArray[np.int64] | None, values: FloatArray,
    ) -> None:  # fmt: skip
        self._words, self._watched, self._signs = words, watched, signs
        self._entry, self._values = entry, values
        self._seen = np.zeros(len(watched) + 1, dtype=at.OBSERVATION)

    def first_change(self, time: float, step: Step, given: States) -> SignChange:
        """The first change that is watched, from a time to the end of a step."""

        def inside(when: float) -> FloatArray:
            return self._on_constraints(when, step.state if when >= step.time else given(when))

        signs = np.append(self._signs, np.ones(len(self._watched) - len(self._signs), dtype=np.int64))
        try:
            last = self._look(time, inside(time))
            for part in range(1, LOOKS + 1):
                now_time = step.time if part == LOOKS else time + (step.time - time) * part / LOOKS
                now = self._look(now_time, inside(now_time))
                found = [
                    (when, guard)
                    for guard, sign in enumerate(signs.tolist())
                    if (when := self._between(guard, sign, last, now, inside)) is not None
                ]
                if found:
                    when, guard = min(found)
                    return SignChange(guard, Step(Status.DONE, when, inside(when)))
                signs, last = np.where(now.signs != 0, now.signs, signs), now
        except _NoLook as stop:
            return SignChange(-1, step._replace(status=stop.status))
        return SignChange(-1, step)

    def _on_constraints(self, time: float, state: FloatArray) -> FloatArray:
        if self._entry is None or self._entry[0] == 0:
            return state
        out = np.empty(len(state))
        status = call_once(self._entry, time, np.ascontiguousarray(state), self._values, out)
        return out if status == 0 else state

    def settle(self, guard: int) -> int:
        """Take the transitions that are due where the solver stands: -1, or a status."""
        return _kernel("settle_taken")(ctypes.addressof(self._words), 0.0, guard, 0, 0)

    # -- one guard between two places --------------------------------------------------------------

    def _between(self, guard: int, sign: int, last: _Look, now: _Look, inside: States) -> float | None:
        """When a guard changes its sign between two places, if it does in a way that is watched."""
        if self._passes(guard, sign, now):
            return self._located(guard, last.time, now, inside)
        came, left = last.values[guard] * last.rates[guard], now.values[guard] * now.rates[guard]
        if now.signs[guard] != last.signs[guard] or not (came < 0.0 < left):
            return None
        _, turn = self._halved(
            last.time, now.time, inside, lambda look: bool(look.rates[guard] * now.rates[guard] >= 0.0)
        )
        there = self._look(turn, inside(turn))
        return self._located(guard, last.time, there, inside) if self._passes(guard, sign, there) else None

    def _passes(self, guard: int, sign: int, look: _Look) -> bool:
        """Whether a guard is on its other side, and that is looked for."""
        after, watched = look.signs[guard], self._watched[guard]
        falls = sign > 0 and after == -1 and watched & at.FALLING
        rises = (sign < 0 or sign == at.RESTED) and after == 1 and watched & at.RISING
        return bool(falls or rises)

    def _located(self, guard: int, before: float, now: _Look, inside: States) -> float:
        """The last time before its value is past zero, for a jump must not begin on the far side; but not the first."""
        side = int(now.signs[guard])
        last, past = self._halved(before, now.time, inside, lambda look: bool(look.values[guard] * side > 0.0))
        return last if last > before else past

    def _halved(
        self, before: float, after: float, inside: States, is_past: Callable[[_Look], bool]
    ) -> tuple[float, float]:
        """The last time before something holds, and the first at which it does: neighbours among numbers."""
        while before < (middle := before + (after - before) / 2) < after:
            if is_past(self._look(middle, inside(middle))):
                after = middle
            else:
                before = middle
        return before, after

    def _look(self, time: float, state: FloatArray) -> _Look:
        given, seen = np.ascontiguousarray(state), self._seen
        status = _kernel("observe_inside")(
            ctypes.addressof(self._words), time, raw_address(given), 0, raw_address(seen)
        )
        if status >= 0:
            raise _NoLook(Status(status))
        count, guards = len(self._watched), len(self._signs)
        values, rates = seen["value"][:count].copy(), seen["first"][:count].copy()
        known = TERMS_ROUNDING * seen["value_scale"][:count] + CLOCK_RESOLUTION * np.abs(rates) * abs(time)
        values[guards:] += VIOLATION * (1.0 + seen["value_scale"][guards:count])
        signs = np.where(values > known, 1, np.where(values < -known, -1, 0))
        return _Look(time, values, rates, signs)


def _kernel(name: str) -> Callable[..., int]:
    return EXCURSIONS.function(name, WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
