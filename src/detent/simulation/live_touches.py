"""Where contacts touch in a live run, and with what force, as of its last step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settling import Settling
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.arrays import FloatArray
from detent.jit.calling import call_once
from detent.jit.program import Program
from detent.simulation.contact_plans import ContactPlans
from detent.simulation.context import Context
from detent.simulation.live import Live
from detent.stepping.servo_frame import COURSE


@final
@dataclass(frozen=True, eq=False)
class Touching:
    """All places of contact at an instant: where they are (m), the force on what carries the first shape (N).

    Forces are zero where a place is open, and where no forces hold the contacts as they are.
    """

    names: tuple[str, ...]
    points: FloatArray
    forces: FloatArray
    closed: NDArray[np.bool_]


@final
class LiveTouches:
    """Reads contacts off a live run; any thread may ask, at any time.

    Forces are worked out for the state after the last step with programs and memory of their own.

    >>> import detent
    >>> live = detent.Live(detent.example("disk-on-ramp-contact").system, clock=detent.SimulatedClock())
    >>> live.advance(0.01)
    >>> touching = LiveTouches(live).now()
    >>> touching.names, touching.closed.tolist()
    (('disk|ramp',), [True])
    """

    def __init__(self, live: Live) -> None:
        self._paced, self._lock = live._paced, live._lock  # the lock: who changes the run holds it
        self._context: Context | None = None
        self._geometry: Program | None = None
        self._settling: dict[tuple[str, tuple[str, ...]], Settling] = {}

    def now(self) -> Touching | None:
        """The contacts; None where there are none."""
        with self._lock:
            context, servo = self._paced.context, self._paced.servo
            automaton = context.automaton
            if not isinstance(automaton, StatusAutomaton) or context.contacts is None:
                return None
            if context is not self._context:
                self._context, self._geometry, self._settling = context, _geometry(context, automaton), {}
            assert self._geometry is not None
            rows = servo.course()
            time = float(rows[-1, COURSE.index("time")]) if len(rows) else 0.0
            state = servo.state_of(rows[-1]) if len(rows) else context.solver.state
            number = int(rows[-1, COURSE.index("mode")]) if len(rows) else -1
            mode = self._paced.simulation._director.declared_mode(number)
            if mode is None:
                return None
            values = context.values.vector.copy()
            # The kernel may be further by now: what is closed goes by the mode of the step.
            values[context.values.first_discrete + np.array(automaton.key)] = mode.key
            return self._touching(context.contacts, automaton, mode, time, state.copy(), values)

    def _touching(
        self, contacts: ContactPlans, automaton: StatusAutomaton, mode: Mode, time: float, state: FloatArray,
        values: FloatArray,
    ) -> Touching:  # fmt: skip
        assert self._geometry is not None
        places, rows = automaton.places, automaton.dimension
        found = self._geometry(time, state, values).reshape(len(places), 3 + 3 * rows)
        closed = np.array(mode.key[: len(places)]) > 0.0
        along = np.zeros((len(places), rows))
        if closed.any():
            out = np.zeros(len(contacts.force_names))
            if call_once(self._settling_in(contacts, mode).forces, time, state, values, out) == 0:
                along = out[: len(places) * rows].reshape(len(places), rows)
        directions = found[:, 3:].reshape(len(places), rows, 3)
        forces = np.where(closed[:, None], np.nan_to_num(np.einsum("pk,pkx->px", along, directions)), 0.0)
        return Touching(tuple(place.name for place in places), np.nan_to_num(found[:, :3]), forces, closed)

    def _settling_in(self, contacts: ContactPlans, mode: Mode) -> Settling:
        """What works out forces in a mode: the same in all modes of its family."""
        key = mode.family, tuple(mode.loads)
        if key not in self._settling:
            self._settling[key] = contacts.apart(mode)
        return self._settling[key]


def _geometry(context: Context, automaton: StatusAutomaton) -> Program:
    """Where the places are, and the directions of their forces."""
    with context.compiled.equations.lock:
        convert = context.compiled.equations.quantities.convert
        return context.compiled.program([convert(value) for place in automaton.places for value in _outputs(place)])


def _outputs(place: Place) -> list[object]:
    return [*place.point, *place.turned]
