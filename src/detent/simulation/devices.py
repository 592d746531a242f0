"""The haptic devices of a live run: asked where they are, told what they feel, and how promptly that goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.jit.arrays import FloatArray
from detent.model.coupler import Coupler, least_damping
from detent.simulation.hand import Hand
from detent.simulation.live_timing import DeviceCounts

LATE: Final = 2
"""Periods by which a device that is served by another thread is late at most, when Python keeps up."""


@final
class Devices:
    """The hands that were given to a live run, by the names of its couplers."""

    def __init__(self, hands: Any, couplers: Sequence[Coupler]) -> None:
        if not isinstance(hands, Mapping):
            raise ValueProblem(f'hands are {hands!r}; give them by the names of couplers, such as {{"hand": device}}')
        names = [coupler.name for coupler in couplers]
        for name, hand in hands.items():
            if name not in names:
                raise UnknownNameError(str(name), names, what="coupler of this live run")
            _check_hand(name, hand)
        self._hands: dict[str, Hand] = dict(hands)
        self._couplers = {coupler.name: coupler for coupler in couplers}
        self._served = self._late = self._longest = 0

    def __bool__(self) -> bool:
        return bool(self._hands)

    def __contains__(self, name: str) -> bool:
        return name in self._hands

    def read(self) -> dict[str, FloatArray]:
        """Where all of them are (m), by the names of their couplers."""
        found = {}
        for name, hand in self._hands.items():
            try:
                place = hand.position()
            except Exception as error:
                raise _failed(name, "say where it is", error) from error
            found[name] = finite_place(f"the device of coupler '{name}'", place)
        return found

    def feel(self, force: Callable[[str], FloatArray]) -> None:
        """Tell all of them what they feel (N), by the names of their couplers."""
        for name, hand in self._hands.items():
            try:
                hand.feel(force(name))
            except Exception as error:
                raise _failed(name, "take a force", error) from error

    def count(self, periods: int) -> None:
        """All were served, and it took so many periods from the reading of positions to the telling of forces."""
        self._served += 1
        self._longest = max(self._longest, periods)
        self._late += periods > 1 + LATE

    @property
    def counts(self) -> DeviceCounts | None:
        """How promptly they were served; None where there are none."""
        return DeviceCounts(self._served, self._late, self._longest) if self._hands else None

    def check_passive(self, parameters: Mapping[str, float], period: float, threaded: bool) -> None:
        """That no device would display more than its own damping can answer for; ``threaded``: served by a thread."""
        for name, hand in self._hands.items():
            coupler = self._couplers[name]
            K, B = parameters[coupler.stiffness], parameters[coupler.damping]
            whole = hand.delay + (LATE * period if threaded else 0.0)
            needed = least_damping(K, B, period, whole)
            if not needed < hand.damping:
                raise ValueProblem(
                    f"coupler '{name}' with stiffness K = {K:.9g} N/m and damping B = {B:.9g} N s/m is not passive at "
                    f"a period T = {period:.9g} s and a delay of {whole:.9g} s: the device needs more than "
                    f"K (T/2 + delay) + B = {needed:.9g} N s/m of damping of its own, and has {hand.damping:.9g}; make "
                    f"K or B smaller, or the rate higher"
                )


def finite_place(whose: str, place: Any) -> FloatArray:
    """Three finite numbers, whoever gave them.

    >>> finite_place("a hand", (1, 2, 3)).tolist()
    [1.0, 2.0, 3.0]
    """
    try:
        where = np.asarray(place, dtype=float)
    except (TypeError, ValueError):
        where = np.empty(0)
    if where.shape != (3,) or not np.isfinite(where).all():
        raise ValueProblem(f"{whose} is at {place!r}; give three finite numbers, along the ground's axes (m)")
    return where


def _check_hand(name: str, hand: Any) -> None:
    if not isinstance(hand, Hand):
        raise ValueProblem(
            f"the device of coupler '{name}' is {hand!r}; give an object of a class that is derived from detent.Hand"
        )
    for word in ("damping", "delay"):
        value = getattr(hand, word)
        if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < math.inf:
            raise ValueProblem(
                f"the device of coupler '{name}' has {word} = {value!r}; give a finite number, zero or more"
            )


def _failed(name: str, what: str, error: Exception) -> DetentError:
    return DetentError(
        f"the device of coupler '{name}' could not {what}: {type(error).__name__}: {error}; the live run stands where "
        "it is, and goes on when it is advanced or started again"
    )
