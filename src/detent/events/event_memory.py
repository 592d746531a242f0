"""The tables of an automaton as the event kernel reads them, and the memory it works in."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.events import event_frame as at
from detent.events.anew import Anew
from detent.events.claims import Blank, Claims
from detent.events.event_frame import EventFrame, Readiness
from detent.events.kernels import EVENTS, EXCURSIONS
from detent.events.rounding import VIOLATION
from detent.events.taken_search import TakenSearch
from detent.events.watch import Certificate
from detent.jit.address import (
    address_or_zero,
    check_count,
    check_places,
    check_room,
    raw_address,
    record_address,
    room_of,
)
from detent.jit.arrays import FloatArray, Records, Words
from detent.jit.words import publish

LOG_ROOM = 1024
"""Transitions taken before the log is handed over."""
NOTE_ROOM = 1024
"""Notes written before they are handed over."""


@dataclass
class ModeRow:
    """What the kernel knows of a mode; without rates it is not ready."""

    rates: Words | None = None
    projection: Words | None = None
    entry: Words | None = None
    reactions: Words | None = None
    reaction_count: int = 0
    observer: Words | None = None
    guards: Sequence[int] = ()
    """The number, in the whole automaton, of each guard."""
    watched: Sequence[int] = ()
    own: Sequence[tuple[int, int, Words | None]] = ()
    """The number of each transition that leaves it, the place of its guard, and the cell of its condition."""
    invariants: int = 0
    switches: Sequence[float] = ()
    ready: int = Readiness.READY
    """A :class:`detent.events.event_frame.Readiness`."""
    choice: Words | None = None
    certificate: Certificate | None = None
    family: int = -1
    key: Sequence[float] = ()
    """What tells it from other modes of its family: the values of some discrete states."""
    claimed: Blank | None = None
    """What it is, where the kernel has put it together; then all else but its switches is said there."""
    owner: object = None


@dataclass
class TransitionRow:
    """What the kernel knows of a transition."""

    target: int
    direction: int
    before_count: int = 0
    after: Words | None = None
    after_count: int = 0
    steps: Sequence[tuple[int, Words]] | None = ()
    """(kind, cell) of each step of the reset; None where the caller works it out."""
    family: int = -1
    """The family to whose mode it leads, whatever the target; -1: to the target."""
    zeno_target: int = -1
    zeno_steps: Sequence[tuple[int, Words]] = ()
    paces: int = 0
    """1 where it only ends a step, and the next one comes ten times as soon."""
    held: int = -1
    """The number of a key that tells whether the guard is held at zero; -1: nothing holds it."""
    held_from: int = 0
    """From which value of it on that is so."""
    anew: Anew = Anew.NEVER
    """Where its guard is above zero again when it is taken."""
    owner: object = None


@final
@dataclass(frozen=True)
class LogEntry:
    """One transition that was taken."""

    time: float
    transition: int
    source: int
    target: int
    zeno: bool
    energy: float
    accumulation: float
    values: FloatArray
    impulses: FloatArray = field(repr=False)


@final
@dataclass(frozen=True, eq=False)
class Log:
    """Transitions that were taken, in their order, as the kernel wrote them down."""

    entries: Records
    numbers: FloatArray
    block: int

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def rows(self) -> Words:
        """The row of the record at which the state after each of them stands."""
        rows: Words = self.entries["row"]
        return rows

    @property
    def targets(self) -> set[int]:
        """The numbers of the modes to which they led."""
        return set(self.entries["target"].tolist())

    def ways(self, modes: int) -> Words:
        """A number for each that tells transition, source and target; in their order, among so many modes."""
        entries = self.entries
        found: Words = (entries["transition"] * modes + entries["source"]) * modes + entries["target"]
        return found

    @property
    def instants(self) -> Words:
        """The same rows, each once: those of one instant share theirs."""
        rows = self.rows
        new = np.ones(len(rows), dtype=bool)
        np.not_equal(rows[1:], rows[:-1], out=new[1:])
        return rows[new]

    def part(self, first: int, last: int) -> Log:
        """Some of them."""
        return Log(self.entries[first:last], self.numbers[first:last], self.block)

    def moved(self, rows: int) -> Log:
        """The same with their rows counted from another one."""
        entries = self.entries.copy()
        entries["row"] -= rows
        return Log(entries, self.numbers, self.block)

    def joined(self, other: Log) -> Log:
        """These, then others."""
        entries = np.concatenate([self.entries, other.entries])
        first = np.zeros((len(self), other.numbers.shape[1]))  # as wide as what is logged by now
        first[:, : self.numbers.shape[1]] = self.numbers
        return Log(entries, np.concatenate([first, other.numbers]), self.block)

    def entry(self, number: int) -> LogEntry:
        """One of them."""
        entry, numbers = self.entries[number], self.numbers[number]
        last = at.LOG_VALUES + self.block
        return LogEntry(
            time=float(numbers[at.LOG_TIME]),
            transition=int(entry["transition"]),
            source=int(entry["source"]),
            target=int(entry["target"]),
            zeno=bool(entry["zeno"]),
            energy=float(numbers[at.LOG_ENERGY]),
            accumulation=float(numbers[at.LOG_ACCUMULATION]),
            values=numbers[at.LOG_VALUES : last],
            impulses=numbers[last:],
        )


@final
@dataclass(frozen=True)
class _Room:
    """How much of each there is at most, over all modes and transitions."""

    guards: int
    seen: int
    """Guards, and what a mode requires."""
    reactions: int
    answers: int
    """Values of a condition."""
    identities: int
    """Guards of the whole automaton, counted from 0; one at least."""
    gathered: int
    """What is observed of a claimed mode."""

    @classmethod
    def of(cls, modes: Sequence[ModeRow], transitions: Sequence[TransitionRow], claims: Claims | None) -> _Room:
        offers, most = (() if claims is None else claims.offers), 0 if claims is None else claims.most_watched
        identities = [number for mode in modes for number in mode.guards] + [offer.identity for offer in offers]
        return cls(
            guards=max(most, max((len(mode.guards) for mode in modes), default=0)),
            seen=max(most, max((len(mode.guards) + mode.invariants for mode in modes), default=0)),
            reactions=max(
                0 if claims is None else claims.reactions, max((mode.reaction_count for mode in modes), default=0)
            ),
            answers=max((max(t.before_count, t.after_count) for t in transitions), default=0),
            identities=1 + max(identities, default=0),
            gathered=0 if claims is None else claims.observed,
        )


@final
class EventMemory:
    """Tables for modes and transitions, built anew whenever one of them changes; the state of the search is kept."""

    def __init__(
        self, width: int, padded: int, block: FloatArray, discrete: int, energy: Words, impulses: FloatArray,
        limit: int, key: Sequence[int] = (), missed: FloatArray | None = None,
    ) -> None:  # fmt: skip
        """``key``: which discrete states tell modes of one family apart; ``missed``: see :class:`EventFrame`."""
        self._missed = np.full(width, VIOLATION) if missed is None else missed
        self.excursion = np.zeros(1, dtype=at.EXCURSION)
        self.excursion["log_room"], self.excursion["note_room"] = LOG_ROOM, NOTE_ROOM // 2
        looked_at = ("phase", "noted", "logged", "claimed")
        self.phase, self._noted, self._logged, self._claimed = (self.excursion[name] for name in looked_at)
        """Fields that are looked at after every piece: to find one by its name takes longer than to read it."""
        self._width, self._padded, self._block, self._discrete = width, padded, block, discrete
        self._energy, self._limit = energy, limit
        self._key = np.array([*key, 0], dtype=np.int64)
        check_places("the discrete states of a key", self._key, len(key) + 1, max(1, discrete))
        self.impulses = impulses
        self.after, self._spare, self.after_rate = np.zeros((3, padded + len(block) + 1))
        self._kept, self._energies = np.zeros(len(block) + 1), np.zeros(2)
        self.signs, self.consumed, self.standing, self.fired = (np.zeros(0, dtype=np.int64) for _ in range(4))
        self.start, self.end = np.zeros((2, 0), dtype=at.OBSERVATION)
        self.zeno = np.zeros(0, dtype=at.ZENO)
        self.told = np.zeros(0, dtype=np.int64)
        self._notes = np.zeros(NOTE_ROOM, dtype=at.NOTE)
        self._nothing = Certificate([], [], None, 0.0, [])
        self._log_entries = np.zeros(LOG_ROOM + limit + 2, dtype=at.LOG_ENTRY)
        self._log_width = at.LOG_VALUES + len(block) + len(self.impulses)
        self._log_numbers = np.zeros((len(self._log_entries), self._log_width))
        self.impulse_rows = len(impulses)
        """How many of the impulses are those of rows that exist; the others are room for more."""
        self._absent = np.zeros(2, dtype=np.int64)
        """A cell that is none, always the same one: the kernel has its address once it has entered such a mode."""
        self._alive: list[Any] = []
        self._modes: list[list[Any]] = []
        self._retired: list[list[Any]] = []
        """What was in the table before: the kernel, which may stand in such a mode, has its addresses."""
        self.frame: ctypes.Array[ctypes.c_int64] = (ctypes.c_int64 * len(EventFrame._fields))()

    @staticmethod
    def kernels() -> tuple[int, int, int]:
        """Where the kernels are that look for events."""
        meet = EVENTS.address("meet_events")
        settle, resume = (EXCURSIONS.address(name) for name in ("settle_step", "resume_excursion"))
        return meet, settle, resume

    def among(self, mode: int, words: ctypes.Array[ctypes.c_int64], values: FloatArray) -> TakenSearch:
        """What looks for changes of a mode's guards along steps that another solver takes."""
        row = self._modes[mode][0]
        watched = np.array([*row.watched, *(at.FALLING for _ in range(row.invariants))], dtype=np.int64)
        return TakenSearch(words, watched, self.signs[: len(row.guards)], row.entry, values)

    def leave_impulses_in(self, impulses: FloatArray) -> None:
        """Take impulses from there from the next :meth:`build` on; transitions in the log stay in it."""
        self.impulses = impulses
        log, self._log_width = self._log_numbers, at.LOG_VALUES + len(self._block) + len(impulses)
        self._log_numbers = np.zeros((len(log), self._log_width))
        self._log_numbers[:, : log.shape[1]] = log

    def build(
        self, modes: Sequence[ModeRow], transitions: Sequence[TransitionRow], claims: Claims | None = None
    ) -> None:  # fmt: skip
        """Write the tables, with room for as many guards and reactions as the rows say. What is known is kept.

        ``claims``: what the kernel may put modes together from by itself; their rows come after the others.
        """
        self._room = room = _Room.of(modes, transitions, claims)
        self._claims, blanks = claims, [] if claims is None else claims.blanks
        self._retired += self._modes
        self._modes = [[] for _ in range(len(modes) + len(blanks))]
        self._table = np.zeros(len(self._modes), dtype=at.MODE)
        for number, mode in enumerate(modes):
            self.set_mode(number, mode)
        for number, blank in enumerate(blanks, len(modes)):
            self._write_claimed(number, blank, -1)
        steps: list[tuple[int, int]] = []
        self._transition_table = np.zeros(max(1, len(transitions)), dtype=at.TRANSITION)
        for number, transition in enumerate(transitions):
            _write(self._transition_table[number], transition, steps)
        reset = np.array(steps or [(0, 0)], dtype=at.RESET_STEP)
        self.signs, self.consumed = _grown(self.signs, room.guards + 1), _grown(self.consumed, room.identities)
        self.standing, self.fired = _grown(self.standing, room.identities), _grown(self.fired, len(transitions) + 1)
        self.zeno = _grown(self.zeno, max(len(transitions), 1))
        self.told = _grown(self.told, max(len(transitions), 1))
        self.start, self.end = _grown(self.start, room.seen + 1), _grown(self.end, room.seen + 1)
        nothing = np.zeros(1, dtype=at.OFFER), np.zeros(1, dtype=at.KEY_VALUE)
        offers, key_values = nothing if claims is None else (claims.offer_table(), claims.key_values())
        addresses = {
            "modes": self._table, "transitions": self._transition_table, "steps": reset,
            "extended": np.zeros(2 * self._width + 2 * room.reactions + 1), "start": self.start, "end": self.end,
            "other": np.zeros(room.seen + 1, dtype=at.OBSERVATION), "signs": self.signs,
            "before": np.zeros(room.guards + 1, dtype=np.int64), "fired": self.fired, "consumed": self.consumed,
            "standing": self.standing, "slacks": np.zeros(room.identities), "after": self.after, "spare": self._spare,
            "after_rate": self.after_rate, "missed": self._missed, "answers": np.zeros(room.answers + 1),
            "impulses": self.impulses, "block": self._block, "kept": self._kept, "energy": self._energy,
            "energies": self._energies, "doubted": np.zeros(room.seen + 1, dtype=at.OBSERVATION),
            "doubted_rate": np.zeros(self._padded),
            "told": self.told, "notes": self._notes, "zeno": self.zeno, "log_entries": self._log_entries,
            "log_numbers": self._log_numbers, "excursion": self.excursion, "key_places": self._key,
            "offers": offers, "key_values": key_values, "gathered": np.zeros(room.gathered + 1, dtype=at.OBSERVATION),
        }  # fmt: skip
        sizes = {
            "width": self._width, "identities": len(self.consumed), "impulse_count": self.impulse_rows,
            "block_count": len(self._block), "discrete_count": self._discrete, "log_width": self._log_width,
            "log_capacity": len(self._log_entries), "note_capacity": NOTE_ROOM, "limit": self._limit,
            "mode_count": len(modes), "key_count": len(self._key) - 1, "blank_count": len(blanks),
            "offer_count": 0 if claims is None else len(claims.offers),
        }  # fmt: skip
        needed = self._needed(room, len(self._modes), len(transitions), len(steps))
        needed |= {"offers": sizes["offer_count"], "key_values": len(key_values) - 1}
        places = {name: room_of(f"the event search's {name}", array, needed[name]) for name, array in addresses.items()}
        filled = EventFrame(**sizes, **places)
        for number, word in enumerate(filled):
            self.frame[number] = word
        self.excursion["claimed"] = 0
        self._alive = [claims, *addresses.values()]

    def take_claimed(self) -> list[tuple[Blank, bool]]:
        """The blank modes that the kernel has claimed since the last time, in the order of their numbers, which come
        after those of the modes that were known; and whether each can be entered as it is."""
        count = int(self._claimed[0])
        if count == 0:
            return []
        assert self._claims is not None
        place = EventFrame._fields.index
        known = self.frame[place("mode_count")]
        self.frame[place("mode_count")] = known + count
        self.frame[place("blank_count")] -= count
        self._claimed[0] = 0
        by_place = {raw_address(blank.claim): blank for blank in self._claims.blanks}
        for number in range(known, len(self._table)):  # the kernel has taken them from those of each family
            self._modes[number] = [by_place[int(self._table["claim"][number])]]
        blanks: list[Blank] = [owner for (owner,) in self._modes[known:]]
        taken, self._claims.blanks[:] = blanks[:count], blanks[count:]
        return [(blank, bool(self._table["ready"][number])) for number, blank in enumerate(taken, known)]

    def _needed(self, room: _Room, modes: int, transitions: int, steps: int) -> dict[str, int]:
        """How many numbers, words or records the kernels find, or leave, in each array."""
        seen, block, log = room.seen, len(self._block), LOG_ROOM + self._limit + 2
        return {
            "modes": modes, "transitions": transitions, "steps": steps, "start": seen, "end": seen, "other": seen,
            "doubted": seen, "extended": 2 * self._width + 2 * room.reactions, "signs": room.guards,
            "before": room.guards, "fired": transitions, "told": transitions, "zeno": transitions,
            "consumed": room.identities, "standing": room.identities, "slacks": room.identities,
            "after": self._padded + self._discrete,
            "spare": self._padded + self._discrete + 1, "after_rate": self._padded, "doubted_rate": self._padded,
            "missed": self._width - 1, "answers": room.answers, "impulses": len(self.impulses), "block": block,
            "kept": block, "energy": 2, "energies": 2, "notes": NOTE_ROOM, "key_places": len(self._key) - 1,
            "log_entries": log, "excursion": 1, "log_numbers": log * (at.LOG_VALUES + block + len(self.impulses)),
            "gathered": room.gathered,
        }  # fmt: skip

    def _check_fits(self, number: int, mode: ModeRow) -> None:
        """That a mode needs no more room than there was made, and that all that is said of its guards is of them."""
        guards, room = len(mode.guards), self._room
        check_places(f"the guards of mode {number}", np.array(mode.guards, dtype=np.int64), guards, room.identities)
        check_count(f"what is watched in mode {number}", len(mode.watched), guards)
        check_room(f"the guards of mode {number}", guards, room.guards)
        check_room(f"what is observed in mode {number}", guards + mode.invariants, room.seen)
        check_room(f"the reactions of mode {number}", mode.reaction_count, room.reactions)
        if mode.family >= 0:
            check_count(f"the key of mode {number}", len(mode.key), len(self._key) - 1)
        if mode.rates is not None:
            check_count(f"the switches of mode {number}", len(mode.switches), len(self._block) - self._discrete)
            certified = 0 if mode.certificate is None else mode.certificate.count
            check_count(f"the certificate of mode {number}", certified, guards + mode.invariants)

    def set_mode(self, number: int, mode: ModeRow) -> None:
        """Write one row of the table of modes: a mode became ready, or has other programs now."""
        self._check_fits(number, mode)
        if mode.claimed is not None:
            self._write_claimed(number, mode.claimed, mode.family)
            return
        watched = np.array([*mode.watched, 0], dtype=np.int64)
        identities = np.array([*mode.guards, 0], dtype=np.int64)
        switches, key = np.array([*mode.switches, 0.0]), np.array([*mode.key, 0.0])
        own = np.array(  # the words of records, an OWN each: their address is found sooner than that of records
            [(number, guard, address_or_zero(before)) for number, guard, before in mode.own] or [(0, 0, 0)],
            dtype=np.int64,
        )
        projection, entry = (self._absent if cell is None else cell for cell in (mode.projection, mode.entry))
        row = {
            "rates": address_or_zero(mode.rates), "projection": raw_address(projection),
            "reactions": address_or_zero(mode.reactions), "reaction_count": mode.reaction_count,
            "observer": address_or_zero(mode.observer), "guards": len(mode.guards), "invariants": mode.invariants,
            "watched": raw_address(watched), "identities": raw_address(identities), "own": raw_address(own),
            "transitions": len(mode.own), "ready": 0, "switches": raw_address(switches),
            "choice": address_or_zero(mode.choice), "certificate": (mode.certificate or self._nothing).address,
            "entry": raw_address(entry), "family": mode.family, "key": raw_address(key), "claim": 0,
            "slots": 0,
        }  # fmt: skip
        self._retired.append(self._modes[number])  # the kernel may be in the middle of it
        self._table[number] = tuple(row[name] for name in at.MODE.names or ())
        self._modes[number] = [mode, watched, identities, switches, own, key]
        if mode.rates is not None:  # last, for the kernel may be running
            publish(self._table["ready"][number : number + 1], 0, mode.ready)

    def _write_claimed(self, number: int, blank: Blank, family: int) -> None:
        """The row of a mode that the kernel has claimed, or, without a family, of one that it may claim."""
        assert self._claims is not None
        self._claims.check(blank, len(self._key) - 1, len(self._block) - self._discrete)
        count, own = blank.certificate.count, blank.own
        row = {
            "rates": raw_address(blank.rates), "projection": raw_address(blank.projection),
            "entry": raw_address(blank.projection), "reactions": raw_address(blank.reactions),
            "reaction_count": self._claims.reactions, "observer": raw_address(self._claims.observer),
            "slots": raw_address(blank.slots), "guards": 0 if family < 0 else count - blank.invariants,
            "invariants": blank.invariants if family >= 0 else 0, "watched": raw_address(blank.watched),
            "identities": raw_address(blank.identities), "own": record_address(own),
            "transitions": blank.transitions if family >= 0 else 0,
            "ready": 0 if family < 0 else int(Readiness.READY), "switches": raw_address(blank.switches),
            "choice": raw_address(blank.choice), "certificate": blank.certificate.address, "family": family,
            "key": raw_address(blank.key), "claim": raw_address(blank.claim),
        }  # fmt: skip
        self._table[number] = tuple(row[name] for name in at.MODE.names or ())
        self._modes[number] = [blank]

    def take_notes(self) -> list[tuple[float, int, int, int]]:
        """What was noted since the last time: when, what, the transition that it is about, and the mode."""
        count = int(self._noted[0])
        if count == 0:
            return []
        self._noted[0] = 0
        notes: list[tuple[float, int, int, int]] = self._notes[:count].tolist()
        return notes

    def forget(self) -> None:
        """Let go of rows that were replaced; only where the kernel does not run."""
        self._retired = []

    def set_condition(self, number: int, after: Words | None) -> None:
        """Write where the condition is now that a transition has in the mode that is entered."""
        self._transition_table[number]["after"] = address_or_zero(after)

    def was_entered(self, mode: int) -> bool:
        """Whether the kernel has entered a mode as the tables have it, though it has not told so yet."""
        return int(self._table["ready"][mode]) in (Readiness.READY, Readiness.FRESH)

    def guard_count(self, mode: int) -> int:
        """How many guards the tables have for a mode."""
        return int(self._table["guards"][mode])

    def take_back(self) -> None:
        """Discrete states and switches as they were before the transition that is being taken."""
        self._block[:] = self._kept[: len(self._block)]

    def take_log(self) -> Log:
        """The transitions taken since the last time."""
        count, block = int(self._logged[0]), len(self._block)
        self._logged[0] = 0
        used = at.LOG_VALUES + block + self.impulse_rows
        # NumPy copies records field by field, and first works out how; bytes it copies at once.
        entries = np.frombuffer(self._log_entries[:count].tobytes(), dtype=at.LOG_ENTRY)
        return Log(entries, self._log_numbers[:count, :used].copy(), block)

    def drop_log(self) -> None:
        """Nobody wants to know what transitions were taken, nor what was noted."""
        self._logged[0] = self._noted[0] = 0


def _grown(array: NDArray[Any], count: int) -> NDArray[Any]:
    """The same numbers with room for at least so many, zero where they are new."""
    if len(array) >= count:
        return array
    made = np.zeros((count, *array.shape[1:]), dtype=array.dtype)
    made[: len(array)] = array
    return made


def _write(record: np.void, row: TransitionRow, steps: list[tuple[int, int]]) -> None:
    """A row of the table of transitions; the steps of its resets are added to those that are there."""
    first = len(steps)
    steps += [(kind, address_or_zero(cell)) for kind, cell in row.steps or ()]
    zeno_first = len(steps)
    steps += [(kind, address_or_zero(cell)) for kind, cell in row.zeno_steps]
    for name in ("direction", "before_count", "after_count", "target", "family", "zeno_target", "paces"):
        record[name] = getattr(row, name)
    record["held"], record["held_from"], record["anew"] = row.held, row.held_from, row.anew
    record["after"] = address_or_zero(row.after)
    record["first_step"], record["step_count"] = first, -1 if row.steps is None else len(row.steps)
    record["zeno_first_step"], record["zeno_step_count"] = zeno_first, len(row.zeno_steps)
