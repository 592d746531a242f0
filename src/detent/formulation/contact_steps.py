"""Contacts that push once a step, without events: what ``complementarity`` and ``impulse`` have in common.

Constraints hold beside them as in ``projection``; without contacts that is all there is.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, final

import numpy as np

from detent.contact_solves.step_frame import PushedBy
from detent.contact_solves.stepping import ContactSteps
from detent.errors import ValueProblem
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.free import FreeRunning
from detent.formulation.means import Means, OwnContacts
from detent.formulation.penalty import may_be_behind
from detent.formulation.projection import Projection
from detent.formulation.running import AlongNodes, Formulation, Instant, Running, StepVerdict
from detent.formulation.unexchanged import UnexchangedFormulation
from detent.jit.arrays import Words
from detent.jit.calling import call_once, call_stretches


@final
class ContactStepsRunning:
    """What runs with the constraints, and contacts that push besides."""

    fit: Final = None

    def __init__(
        self, means: Means, contacts: OwnContacts, inner: Running, by: PushedBy, steps: ContactSteps,
        deepest: list[float],
    ) -> None:  # fmt: skip
        self._contacts, self._inner, self._by, self._steps, self._deepest = contacts, inner, by, steps, deepest
        self.whole, self.partition, self.remarks = inner.whole, inner.partition, inner.remarks
        rows = [place.sticking if place.rubs else place.slipping for place in contacts.places]
        forces = by is PushedBy.FORCES
        self.active = means.workshop.prepare([*inner.whole.constraints, *rows]) if forces else inner.active
        self.rates: Words = steps.rates if forces else inner.rates
        self.correction: Words = steps.correction
        self.entry: Words = steps.correction
        self.reactions: Words | None = steps.forces if forces else inner.reactions
        self._looking = threading.Lock()
        """Held by whoever looks on: what that needs has memory of its own, apart from what steps."""

    @property
    def is_watched(self) -> bool:
        return self._inner.is_watched

    @property
    def asks(self) -> bool:
        return self._inner.asks

    def look(self, instant: Instant) -> StepVerdict:
        return self._inner.look(instant)

    def take_up(self) -> bool:
        return self._inner.take_up()

    def compile_later(self) -> None:
        self._inner.compile_later()

    @cached_property
    def _onlooker(self) -> ContactSteps:
        return self._contacts.steps(self._inner.whole, PushedBy.FORCES, 1.0, 0.0, self._deepest, None)

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        """As the constraints run alone; the forces of contacts, where they push by forces."""
        seen = self._inner.along(bounds, times, states, values)
        if self._by is PushedBy.IMPULSES:
            return seen
        names = self._contacts.row_names
        out, found = np.empty((len(times), len(names))), np.full((len(times), len(self.active.rows)), np.nan)
        with self._looking:
            call_stretches(self._onlooker.forces, bounds, times, states, values, out)
        for column, name in enumerate(self.active.names):
            if name in names:
                found[:, column] = out[:, names.index(name)]
        return AlongNodes(seen.position, seen.velocity, found)

    @property
    def native_seconds(self) -> float | None:
        return self._inner.native_seconds

    def saved(self) -> dict[str, Any] | None:
        """The forces of a step follow from the state in which it begins."""
        return self._inner.saved()


@final
class ContactStepsFormulation(UnexchangedFormulation):
    """Has contacts push once a step, by forces or by impulses."""

    def __init__(self, means: Means, name: str, by: PushedBy, reach: float, restitution: float = 0.0) -> None:
        if means.solver.fixed_step == 0.0:
            raise ValueProblem(
                f"the formulation '{name}' lets contacts push once a step, so that what comes out depends on the step, "
                "and an adaptive method would choose it by an error that does not see them; use method='rk4' with "
                "step=, or formulation='embedded'"
            )
        self._means, self._by, self._reach, self._restitution = means, by, reach, restitution
        self._inner: Formulation = Projection().of_run(means)

    def enter(self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Any = None) -> Running:
        means = self._means
        inner: Running = FreeRunning(means.workshop)
        if active.rows:
            inner = self._inner.enter(active, instant, geometry, kept)
        if means.contacts is None:
            return inner
        deepest = [self._reach if may_be_behind(place) else math.inf for place in means.contacts.places]
        steps = means.contacts.steps(
            active, self._by, means.solver.fixed_step, self._restitution, deepest,
            inner.correction,
        )  # fmt: skip
        steps.begin(instant.time)
        # The forces of the first step; what this would do to the state is done where the mode is entered.
        call_once(
            steps.correction, instant.time, np.ascontiguousarray(instant.state), instant.values,
            np.empty(len(instant.state)),
        )  # fmt: skip
        return ContactStepsRunning(means, means.contacts, inner, self._by, steps, deepest)

    def ahead(self, active: ActiveRows, instant: Instant) -> Running | None:
        return None

    def begin(self, running: Running) -> None:
        """Nothing is to be prepared."""

    def answer(self, running: Running, instant: Instant) -> Running | None:
        """Rows that were dropped have opened: others are to be dropped, if any."""
        return self.enter(running.whole, instant, self._means.workshop.at(running.whole, instant))


def check_settings(owner: object, names: Sequence[str]) -> None:
    """Refuse settings that are no numbers, negative or not finite."""
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, (str, bool)) or not 0.0 <= value < math.inf:
            what = type(owner).__name__
            raise ValueProblem(f"the {name} of {what} is {value!r}; give a finite number, zero or larger")
