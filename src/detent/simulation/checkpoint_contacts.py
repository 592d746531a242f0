"""The modes of contacts in a checkpoint: made anew from their statuses, since nobody has declared them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from detent.contact_solves.box_frame import Touching
from detent.formulation.embedded import Embedded
from detent.hybrid.automaton import Automaton
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton, automaton_of_contacts
from detent.model.contact import ContactStatus, slip_names
from detent.model.system import System
from detent.simulation.checkpoint_misfit import refused

if TYPE_CHECKING:
    from detent.simulation.checkpoint import Checkpoint, SavedStatuses

_MOST_STEPS: Final = 2**53
_LONGER: Final = 1e-9
"""By so much a direction may be longer than one."""


def with_modes_of(model: System | Automaton, found: Checkpoint) -> Checkpoint:
    """A checkpoint with the modes of contacts under the names that they have in this model."""
    automaton = automaton_of_contacts(model)
    if automaton is None or not found.contacts:
        return found
    if set(found.contacts) != set(found.choices):
        raise refused("contacts", found.contacts, "one entry for each of its choices")
    for name, kept in found.contacts.items():
        _check_key(automaton, name, kept)
    automaton.meet_all()
    modes = {name: automaton.member(kept.family, tuple(kept.key)) for name, kept in found.contacts.items()}
    if len(set(modes.values())) < len(modes):
        raise refused("contacts", found.contacts, "modes that differ by their statuses")
    return _renamed(found, modes)


def _check_key(automaton: StatusAutomaton, name: str, kept: SavedStatuses) -> None:
    """That statuses are such as places can have in a family of modes."""
    where, places = f"contacts['{name}']", automaton.places
    if kept.family not in automaton.families:
        raise refused(f"{where}.family", kept.family, f"one of {', '.join(automaton.families)}")
    if len(kept.key) != len(automaton.key):
        raise refused(f"{where}.key", kept.key, f"a list of {len(automaton.key)}")
    for place, status, turning in automaton.states(tuple(kept.key)):
        if status not in _possible(automaton, kept.family, place):
            raise refused(f"{where}.key", status, f"a status that '{place.name}' can have there")
        for turn, turns in zip(place.turns, turning, strict=True):
            if turns not in (turn.does if status > ContactStatus.OPEN else (0.0,)):
                raise refused(f"{where}.key", turns, f"whether there is {turn.word} at '{place.name}'")
    for pair in automaton.pairs:
        own = [kept.key[place.total] for place in pair.places]
        least = Touching.OFF if min(own) < 0 else Touching.POINT if max(own) > 0 else Touching.APART
        most = Touching.FACE if least is Touching.POINT else least
        told = kept.key[len(places) + len(automaton.turns) + pair.number]
        if told not in range(least, most + 1):
            raise refused(f"{where}.key", told, f"in what '{pair.contact.name}' touches there")
    closed = any(status > ContactStatus.OPEN for status in kept.key[: len(places)])
    if kept.key[-1] not in ((0.0, 1.0) if closed else (0.0,)):
        raise refused(f"{where}.key", kept.key[-1], "whether its contacts share their forces")


def _possible(automaton: StatusAutomaton, family: str, place: Place) -> Sequence[float]:
    if not automaton.counts(family, place.contact):
        return (ContactStatus.OFF,)
    sticks = (ContactStatus.STICK,) if place.rubs else ()
    return (ContactStatus.OPEN, ContactStatus.SLIP, *sticks)


def _renamed(found: Checkpoint, modes: Mapping[str, Mode]) -> Checkpoint:
    """The same with other names of modes. Declared transitions were once named after modes, now after families."""

    def transition(name: str) -> str:
        ends = [old for old in modes if name.endswith(f" in {old}")]
        longest = max(ends, key=len, default="")
        return name.removesuffix(longest) + modes[longest].family if ends else name

    return replace(
        found,
        mode=modes[found.mode].name if found.mode is not None and found.mode in modes else found.mode,
        choices={modes[name].name: choice for name, choice in found.choices.items()},
        contacts={modes[name].name: kept for name, kept in found.contacts.items()},
        signs={transition(name): sign for name, sign in found.signs.items()},
        zeno={transition(name): numbers for name, numbers in found.zeno.items()},
    )


def check_statuses(found: Checkpoint, automaton: StatusAutomaton) -> None:
    """That the discrete states of contacts are those of the mode in which the run stands."""
    assert found.mode is not None
    values = dict(zip(found.values_layout, found.values, strict=True))
    names = [symbol.name for symbol in automaton.system.discrete_states]
    for number, status in zip(automaton.key, automaton.modes[found.mode].key, strict=True):
        if values[names[number]] != status:
            raise refused(f"value '{names[number]}'", values[names[number]], f"{status!r}, as in mode '{found.mode}',")
    for name, least, most in _ranges(automaton):
        if not least <= values[name] <= most:
            raise refused(f"value '{name}'", values[name], f"a number from {least:g} to {most:g}")
    for _, turn in automaton.turns:
        _check_way(values, *turn.names)
    places = [place.name for place in automaton.places]
    for name in found.bounces:
        if name not in places:
            raise refused("name in bounces", name, f"one of {', '.join(places)}")
    for _, zone in automaton.zones:
        if values[zone.name] not in (0.0, 1.0):
            raise refused(f"value '{zone.name}'", values[zone.name], "0 or 1")
    if found.formulation["name"] == Embedded.name:
        _check_steps(found)


def _check_steps(found: Checkpoint) -> None:
    """That modes which ran as the kernel had claimed them tell how many steps they had taken."""
    for name, choice in found.choices.items():
        numbers = [] if choice is None else choice.numbers
        if len(numbers) > 1:
            raise refused(f"choices['{name}'].numbers", numbers, "at most one number")
        for steps in numbers:
            if not (0 <= steps < _MOST_STEPS and steps == int(steps)):
                raise refused(f"choices['{name}'].numbers[0]", steps, "a number of steps")


def _check_way(values: Mapping[str, float], turning: str, *way: str) -> None:
    """That what turns has a direction, and nothing else has one."""
    if values[turning] == 0.0:
        wrong = [name for name in way if values[name] != 0.0]
        expected = "0 where nothing turns"
    elif len(way) == 1:
        wrong = [name for name in way if values[name] not in (-1.0, 1.0)]
        expected = "-1 or 1 where it turns"
    else:
        *direction, near, straight = way
        long = abs(sum(values[name] ** 2 for name in direction) - 1.0) > _LONGER
        wrong = [*(direction if long else ()), *([near] if not 0.0 <= values[near] < float("inf") else ())]
        wrong += [straight] if values[straight] not in (0.0, 1.0) else []
        expected = "part of a direction of length 1, a speed, or 0 or 1,"
    if wrong:
        raise refused(f"value '{wrong[0]}'", values[wrong[0]], expected)


def _ranges(automaton: StatusAutomaton) -> Iterator[tuple[str, float, float]]:
    """What is kept of the slip of each place, from where to where it may be."""
    for place in automaton.places:
        names: list[Any] = list(slip_names(place.name, place.contact.planar))
        for name in names[: place.directions]:
            yield name, -1.0 - _LONGER, 1.0 + _LONGER
        for name, most in zip(names[place.directions :], (float("inf"), 1.0), strict=False):
            yield name, 0.0, most
