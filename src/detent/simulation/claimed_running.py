"""A mode that the kernel has claimed, as it runs: by what it was put together from, then by programs of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, final

import numpy as np

from detent.dynamics.partition import Partition
from detent.events.claims import Blank
from detent.formulation.active_rows import ActiveRows
from detent.formulation.embedded import EmbeddedRunning
from detent.formulation.running import GO_ON, AlongNodes, Instant, Remark, Running, StepVerdict
from detent.jit.arrays import Words
from detent.jit.background import in_background
from detent.simulation.undisturbed import undisturbed
from detent.solves.gathered_rows import GatheredRows

Make = Callable[[Mapping[str, Any] | None], Running]
"""Makes what runs the same rows with a choice of dependent speeds."""


@final
class ClaimedRunning:
    """The rows that hold in a claimed mode.

    After a number of steps, which does not depend on any clock, it has programs of its own made; what runs before and
    after that agrees to rounding, and a run gives the same bits each time. In a live run they are made in the
    background, and taken up when they have come.
    """

    is_watched: Final = False

    def __init__(
        self, blank: Blank, gathered: GatheredRows, make: Make, watching: Make, remarks: tuple[Remark, ...],
        compile_later: Callable[[], None], improve: Callable[[Running], None] | None,
        kept: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """``make`` gives programs of its own, ``watching`` what works out reactions where it has run.

        ``improve`` makes in the background, in a live run, what taking those up will need. ``kept`` is what was saved
        of it, where it has not been entered since.
        """
        self._kept, self._improve = kept, improve
        self._prepared: Running | None = None
        self._asked_at = -1
        """After how many steps other speeds were to be chosen when it was last looked at."""
        self._stays = False
        """Whether it has shown that machine code is worth making."""
        self.blank, self._gathered = blank, gathered
        self._make, self._watch, self._compile_later = make, watching, compile_later
        self.remarks = remarks
        self.own: Running | None = None
        """What runs by now, once that has programs of its own."""

    @property
    def rates(self) -> Words:
        return self.blank.rates if self.own is None else self.own.rates

    @property
    def correction(self) -> Words | None:
        return self.blank.projection if self.own is None else self.own.correction

    @property
    def entry(self) -> Words | None:
        return self.blank.projection if self.own is None else self.own.entry

    @property
    def fit(self) -> Words | None:
        return self.blank.choice if self.own is None else self.own.fit

    @property
    def reactions(self) -> Words | None:
        return self.blank.reactions if self.own is None else self.own.reactions

    # -- between steps -----------------------------------------------------------------------------

    def look(self, instant: Instant) -> StepVerdict:
        """No row is dropped whose reaction anyone asks for."""
        return GO_ON

    @property
    def asks(self) -> bool:
        """Before it has programs of its own, :meth:`take_up` is what it asks for."""
        return self.own is not None and self.own.asks

    def take_up(self) -> bool:
        """Have programs of its own made, if it has lasted, or if other speeds would make better independent ones."""
        if self.own is not None:
            return self.own.take_up()
        if self._prepared is not None:
            self.own = self._prepared
            self.own.take_up()
            return True
        if not self.blank.has_lasted and (not self._gathered.flag[0] or self._is_left_to_kernel()):
            return False
        self.leave_claimed()
        return True

    def _is_left_to_kernel(self) -> bool:
        """Whether other speeds are to be chosen and a servo's kernel, which does that by itself before its next step,
        has not tried yet: a run must not depend on who happens to look at it between two steps."""
        asked_at, self._asked_at = self._asked_at, self.blank.steps
        return self.blank.is_for_good and self._asked_at != asked_at

    def leave_claimed(self) -> None:
        """Have programs of its own made, and run by them from here on."""
        self.own = self._make(self._gathered.saved())
        if self._gathered.flag[0] and isinstance(self.own, EmbeddedRunning):
            self.own.solve.flag[0] = 1
        if self._stays:
            self.own.compile_later()

    def compile_later(self) -> None:
        self._stays = True
        if self.own is not None:
            self.own.compile_later()
        elif self._improve is not None:
            self._compile_later()
            in_background(self._prepare)

    def _prepare(self) -> None:
        """In the background: have programs of its own made."""
        if self.own is not None or self._prepared is not None or self._improve is None:
            return
        with undisturbed(set_aside=True):
            made = self._make(self._gathered.saved() or self._kept)
            self._improve(made)
            self._prepared = made

    # -- afterwards --------------------------------------------------------------------------------

    @cached_property
    def _onlooker(self) -> Running:
        """What the rows are asked through; it does not decide how the run goes on."""
        return self._watch(self._gathered.saved() or self._kept)

    @property
    def active(self) -> ActiveRows:
        return self._onlooker.active if self.own is None else self.own.active

    @property
    def whole(self) -> ActiveRows:
        return self._onlooker.whole if self.own is None else self.own.whole

    @property
    def partition(self) -> Partition:
        return self._onlooker.partition if self.own is None else self.own.partition

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        return (self.own or self._onlooker).along(bounds, times, states, values)

    @property
    def native_seconds(self) -> float | None:
        return None if self.own is None else self.own.native_seconds

    def saved(self) -> dict[str, Any] | None:
        """The choice; and, as long as it has no programs of its own, how many steps it has taken."""
        if self.own is not None:
            return self.own.saved()
        saved = self._gathered.saved() or self._kept
        return None if saved is None else {**saved, "numbers": [float(self.blank.steps)]}


def what_runs(running: Running) -> Running:
    """What a formulation has made, where a claimed mode has programs of its own."""
    return running.own if isinstance(running, ClaimedRunning) and running.own is not None else running
