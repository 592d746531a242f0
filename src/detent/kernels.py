"""All kernel libraries, for what is done to every one of them: a wheel carries them, tests look at each."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.kernels import CONES, CONTACT_STEPS, FRICTION_IMPACT, SETTLING, SINGLE_IMPACT_KERNELS
from detent.events.kernels import EVENTS, EXCURSIONS, TAPE_BOUNDS
from detent.jit.kernels import KERNELS
from detent.solves.kernels import CONSTRAINT_SOLVE, FOLLOWING, FULL_SOLVE, IMPACT, MASS_SOLVE
from detent.stepping.kernels import CONTROLLED_STEPS, FIXED_STEPS, HANDOVER, IMPLICIT_STEPS, SERVO_KERNELS

LIBRARIES: Final = (
    KERNELS, FIXED_STEPS, CONTROLLED_STEPS, IMPLICIT_STEPS, HANDOVER, SERVO_KERNELS, TAPE_BOUNDS, EVENTS, EXCURSIONS,
    MASS_SOLVE, CONSTRAINT_SOLVE, FULL_SOLVE, FOLLOWING, IMPACT, CONES, SINGLE_IMPACT_KERNELS, SETTLING, CONTACT_STEPS,
    FRICTION_IMPACT,
)  # fmt: skip
