"""Contacts that come, change and go while a run goes on: which a run has then, and which model that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError, UnknownNameError
from detent.hybrid.automaton import Automaton
from detent.model.constraint import Constraint
from detent.model.contact import Contact
from detent.model.contact_changes import with_contacts
from detent.model.contact_making import made_contact
from detent.model.system import System


@final
@dataclass(frozen=True)
class ContactChange:
    """What a run goes on with."""

    model: System | Automaton
    cause: str
    reason: Reason = Reason.STARTS
    strikes: bool = False


@final
class ContactSteering:
    """Makes the model that a run goes on with; ``declared`` is the one it began with."""

    def __init__(self, declared: System | Automaton) -> None:
        self._root = declared.system if isinstance(declared, Automaton) else declared
        self._automaton = declared if isinstance(declared, Automaton) else None

    # -- contacts ----------------------------------------------------------------------------------

    def contact(
        self, system: System, active: tuple[Constraint, ...], mode: str, name: str, shapes: tuple[Any, Any],
        laws: dict[str, Any],
    ) -> ContactChange:  # fmt: skip
        """A contact that is new, or is there already and counts from now on, or has other laws."""
        known = system.contacts
        if not isinstance(name, str) or not name.strip():
            raise DetentError(f"a contact is named {name!r}; give it a name, such as 'ball|floor'")
        if any(shape is not None for shape in shapes):
            if name in known and known[name].enabled:
                raise DetentError(
                    f"contact '{name}' counts already; release it first, use another name, or leave the shapes out to "
                    "give it other laws"
                )
            made = made_contact(self._root, name, *shapes, laws.get("friction"), laws.get("impact"))
            return self._with(system, {**known, name: made}, active, f"contact {name}", made, mode)
        if name not in known:
            raise UnknownNameError(name, known, what="contact (give shapes to add one)")
        before = known[name]
        new = {"friction": before.friction, "impact": before.impact, **laws}
        made = made_contact(self._root, name, before.first, before.second, new["friction"], new["impact"])
        if before.enabled and not laws:
            raise DetentError(f"contact '{name}' counts already; give it another friction or impact, or release it")
        cause = f"contact {name}" if not before.enabled else f"laws of {name}"
        change = self._with(system, {**known, name: made}, active, cause, made, mode)
        return replace(change, reason=Reason.CHANGES) if before.enabled else change

    def release(self, system: System, active: tuple[Constraint, ...], name: str) -> ContactChange:
        """A contact counts no more; one that the model declares may be enabled again by its name."""
        known = system.contacts
        for mode in [] if self._automaton is None else self._automaton.modes.values():
            if mode.contacts is not None and name in mode.contacts:
                raise DetentError(
                    f"contact '{name}' is named by mode '{mode.name}' of the automaton; add a mode without it and a "
                    "transition to that instead"
                )
        if not known[name].enabled:
            raise DetentError(f"contact '{name}' does not count now; enable it first, with simulation.contact")
        rest = {each: contact for each, contact in known.items() if each != name}
        if name in self._root.contacts or not rest:  # a model with contacts goes on as one
            rest = {**known, name: replace(known[name], enabled=False)}
        return ContactChange(self._model(system, rest, active), f"release {name}")

    def _with(
        self, system: System, contacts: dict[str, Contact], active: tuple[Constraint, ...], cause: str, made: Contact,
        mode: str,
    ) -> ContactChange:  # fmt: skip
        declared = None if self._automaton is None else self._automaton.modes.get(mode)
        if declared is not None and declared.contacts is not None and made.name not in declared.contacts:
            raise DetentError(
                f"mode '{mode}' names the contacts that count in it, and '{made.name}' is none of them; declare the "
                "mode without contacts=, or wait for another mode"
            )
        planar = {contact.planar for contact in contacts.values()}
        if len(planar) > 1:
            raise DetentError(
                f"contact '{made.name}' is {'in the plane' if made.planar else 'in space'}, and others are not; use "
                "shapes of one kind in a run"
            )
        kept = {name: contact for name, contact in contacts.items() if contact.enabled or name in self._root.contacts}
        return ContactChange(self._model(system, kept, active), cause)

    # -- constraints of systems with contacts ------------------------------------------------------

    def constrain(self, system: System, active: tuple[Constraint, ...], wanted: Constraint) -> ContactChange:
        """One constraint more."""
        if wanted.name in [each.name for each in active]:
            raise DetentError(
                f"the constraint '{wanted.name}' is active already; release it first, or use another name"
            )
        model = self._model(system, system.contacts, (*active, wanted))
        return ContactChange(model, f"constrain {wanted.name}", strikes=True)

    def let_go(self, system: System, active: tuple[Constraint, ...], name: str) -> ContactChange:
        """One constraint less."""
        held = [each.name for each in active]
        if name not in held:
            raise UnknownNameError(name, [*held, *system.contacts], what="active constraint or contact")
        rest = tuple(constraint for constraint in active if constraint.name != name)
        return ContactChange(self._model(system, system.contacts, rest), f"release {name}", Reason.CHANGES)

    def _model(
        self, system: System, contacts: dict[str, Contact], active: tuple[Constraint, ...]
    ) -> System | Automaton:
        if self._automaton is not None:
            always = [system.constraints[name] for name in self._root.active_at_start]
            return self._automaton.on(with_contacts(self._root, contacts.values(), always))
        return with_contacts(self._root, contacts.values(), active)
