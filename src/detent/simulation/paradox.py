"""A contact that slides to where friction will leave it no acceleration: there it seizes (Painleve's paradox).

Near that boundary a normal force hardly moves the contact apart: it grows without bound, unless the contact needs none
there (so a rod with constant friction comes to it, Genot and Brogliato 1999). Steps cannot follow it. What is left of
the slip is over in a time below rounding: an impact without collision. It and the forces just before it push in the
same direction, so that the motion afterwards does not depend on where between them the line is drawn.
"""

from __future__ import annotations

import math
from typing import Final, final

import numpy as np

from detent.contact_solves.settle_frame import Reason, Seizing
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Settle
from detent.hybrid.transition import Transition
from detent.jit.calling import call_once
from detent.model.contact import ContactStatus
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.contact_plans import ContactPlans
from detent.simulation.context import Context
from detent.solves.constraint_solve import PARADOX
from detent.stepping.status import Status

_STUCK: Final = (
    Status.NOT_A_NUMBER,
    Status.STEP_TOO_SMALL,
    Status.PROGRAM_STATUS,
    Status.GUARD_UNRESOLVED,
    Status.GUARD_NOT_A_NUMBER,
)
"""How steps fail near the boundary."""


@final
class Paradox:
    """Has a contact seize where the integration of its slide cannot go on."""

    def __init__(self, context: Context, tables: AutomatonTables) -> None:
        self._context, self._tables = context, tables
        self._seized_at = -math.inf

    def resolves(self, mode: Mode, status: Status) -> bool:
        """Whether the run stands at such a boundary: then the contact seizes next, and all contacts are settled."""
        contacts = self._tables.plans.contacts
        if contacts is None or status not in _STUCK or self._tables.is_busy or self._seized_at == self._context.time:
            return False
        endings = self._endings(mode, contacts)
        # Where the solve did not say that there is a paradox, or not of which contact, it must be very near.
        found = self._context.solver.reason == PARADOX and len(endings) == 1
        trials = [(ending, Seizing.FOUND if found else Seizing.NEAR) for ending in endings]
        trials += [(ending, Seizing.TOGETHER) for ending in endings[:1]]
        # Contacts that share their forces may give way: of two that carry alike one lifts off where both would not do.
        trials += [(each, Seizing.NOTHING) for each in self._settling(mode, Reason.YIELDS)]
        for transition, seizing in trials:
            if self._seizes(mode, contacts, transition, seizing):
                self._fire(mode, transition)
                return True
        return False

    def _seizes(self, mode: Mode, contacts: ContactPlans, ending: Transition, seizing: Seizing) -> bool:
        """Whether the contact whose slip a transition ends seizes there, as a trial; the kernel is then told to."""
        step, instant = ending.reset[-1], self._context.instant
        assert isinstance(step, Settle)
        settling = contacts.settling(mode.family, self._tables.plans.impulses)
        settling.record["seizing"] = seizing
        out = np.zeros(len(instant.state) + len(self._tables.automaton.system.discrete_states) + 1)
        cell = settling.cell(step.reason, step.number)
        seizes = call_once(cell, instant.time, instant.state, instant.values, out) == 0
        settling.record["seizing"] = seizing if seizes else Seizing.NOTHING
        return seizes

    def _endings(self, mode: Mode, contacts: ContactPlans) -> list[Transition]:
        """What ends the slips of the contacts that slide against friction."""
        rub = [place.rubs for place in contacts.places]
        slides = [k for k, status in enumerate(mode.statuses) if status == ContactStatus.SLIP and rub[k]]
        endings = self._settling(mode, Reason.ENDS)
        return [each for each in endings if isinstance(step := each.reset[-1], Settle) and step.number in slides]

    def _settling(self, mode: Mode, reason: Reason) -> list[Transition]:
        """What settles contacts for a reason in a mode."""
        found = []
        for transition in self._tables.automaton.leaving(mode):
            step = transition.reset[-1] if transition.reset else None
            if isinstance(step, Settle) and step.reason is reason:
                found.append(transition)
        return found

    def _fire(self, mode: Mode, ending: Transition) -> None:
        """Let the kernel take what ends the slip."""
        context = self._context
        self._seized_at = context.time
        context.solver.start(context.time, context.solver.state)
        self._tables.fire(mode, ending)
