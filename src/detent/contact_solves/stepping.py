"""Contacts that push once a step, as cells that the stepper calls; see :mod:`detent.contact_solves.step_kernel`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import final

import numpy as np

from detent.contact_solves.kernels import CONTACT_STEPS
from detent.contact_solves.settling import Settling
from detent.contact_solves.step_frame import STEPPED, PushedBy, contact_step_arrays
from detent.jit.abi import WORD
from detent.jit.address import address_or_zero, raw_address
from detent.jit.arrays import Words


@final
class ContactSteps:
    """All contacts of a run, in the kernel's memory."""

    def __init__(
        self, settling: Settling, by: PushedBy, step: float, restitution: float, deepest: Sequence[float],
        correction: Words | None,
    ) -> None:  # fmt: skip
        self._alive = [settling, correction]
        room = contact_step_arrays(settling.sizes.count, settling.sizes.dimension)
        self._memory = np.zeros(sum(room.values()) + 1)
        self.record = np.zeros(1, dtype=STEPPED)
        given = {
            "settled": raw_address(settling.record), "correction": address_or_zero(correction),
            "by": int(by), "step": step, "restitution": restitution,
        }  # fmt: skip
        for name, value in given.items():
            self.record[name] = value
        for name, before in zip(room, accumulate([0, *room.values()]), strict=False):
            self.record[name] = raw_address(self._memory) + WORD * before
        self._memory[: len(deepest)] = deepest
        self.correction, self.rates, self.forces = (
            np.array([CONTACT_STEPS.address(name), raw_address(self.record)], dtype=np.int64)
            for name in ("step_contacts", "stepped_rates", "stepped_forces")
        )
        """The cells: what contacts do at the end of a step, the rates along it, the forces at a state."""

    def begin(self, time: float) -> None:
        """A step begins."""
        self.record["last"] = time
