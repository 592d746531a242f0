"""A system with other contacts: what a run goes on with whose contacts change."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from detent.model.constraint import Constraint
from detent.model.contact import Contact
from detent.model.contact_making import add_contact
from detent.model.contact_states import contact_states
from detent.model.system import System


def with_contacts(system: System, contacts: Iterable[Contact], active: Iterable[Constraint]) -> System:
    """The same system, of the same frames, bodies and quantities, with other contacts and active constraints.

    >>> import detent
    >>> from detent.model.contact_making import made_contact
    >>> system = detent.System("example")
    >>> y = system.coordinates("y")
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> floor = made_contact(system, "ball|floor", ball.point(), system.ground.line(), None, None)
    >>> with_contacts(system, [floor], []).contacts["ball|floor"] is floor, list(system.contacts)
    (True, [])
    """
    before = list(system.contacts.values())
    own = {name for number, each in enumerate(before) for name, _ in contact_states(each, number == 0)}
    holding = list(active)
    made = copy.copy(system)
    made.__dict__ = {name: value for name, value in system.__dict__.items() if not name.startswith("_")}  # what is kept
    made.discrete_states = [symbol for symbol in system.discrete_states if symbol.name not in own]
    made.start_values = {name: value for name, value in system.start_values.items() if name not in own}
    followed = {name for each in before for coordinates in each.followed for name in coordinates}
    rates = system.signal_rates.items()
    made.signal_rates = {signal: rate for signal, rate in rates if signal.name not in followed}
    made.constraints = {**system.constraints, **{constraint.name: constraint for constraint in holding}}
    made.active_at_start = [constraint.name for constraint in holding]
    made.contacts = {}
    for contact in contacts:
        add_contact(made, contact)
    return made
