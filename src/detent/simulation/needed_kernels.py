"""Which kernels a run will need, so that those which are missing can be compiled side by side before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detent.contact_solves.kernels import FRICTION_IMPACT, SETTLING
from detent.events.kernels import EVENTS, EXCURSIONS, TAPE_BOUNDS
from detent.hybrid.declared import as_statuses
from detent.jit.kernels import KERNELS
from detent.solves.kernels import CONSTRAINT_SOLVE, FOLLOWING, IMPACT
from detent.stepping.kernels import HANDOVER, IMPLICIT_STEPS, steps_of
from detent.stepping.tableau import TABLEAUS

if TYPE_CHECKING:
    from detent.formulation.compiled import Embedding
    from detent.hybrid.automaton import Automaton
    from detent.jit.kernel_library import KernelLibrary
    from detent.model.system import System


def needed_kernels(
    system: System, automaton: Automaton | None, embedding: Embedding, method: str
) -> list[KernelLibrary]:
    """The kernel libraries of a run. What only shows when equations have been derived is loaded then.

    >>> import detent
    >>> [library.name for library in needed_kernels(detent.System("free"), None, "symbolic", "rk4")]
    ['interpreter', 'fixed steps']
    """
    fixed = method in TABLEAUS and not TABLEAUS[method].is_adaptive
    needed = [KERNELS, steps_of(fixed)]
    if embedding != "symbolic" or system.constraints or automaton is not None:  # all a first constraint needs
        needed.append(CONSTRAINT_SOLVE)
    if any(coordinates for contact in system.contacts.values() for coordinates in contact.followed):
        needed.append(FOLLOWING)
    if automaton is not None:
        from detent.hybrid.friction_impact import FrictionImpact  # a system alone does without

        needed += [TAPE_BOUNDS, EVENTS, EXCURSIONS]
        statuses = as_statuses(automaton)
        if statuses is not None:
            needed.append(SETTLING)
            if statuses.rubs_in_space and not fixed:
                needed.append(IMPLICIT_STEPS)
        elif any(transition.has_impact for transition in automaton.transitions):
            needed.append(IMPACT)
        steps = [step for transition in automaton.transitions for step in transition.reset]
        if any(isinstance(step, FrictionImpact) for step in steps):
            needed.append(FRICTION_IMPACT)
    elif embedding == "live":
        needed.append(HANDOVER)
    return needed
