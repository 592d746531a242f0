"""What is watched in a mode between the ends of a step: tapes walked with intervals, and the memory that takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.events.enclosure_frame import JET, MOVING
from detent.events.kernels import TAPE_BOUNDS
from detent.events.watch_frame import ANCHOR, CERTIFICATE, COEFFICIENTS, DEPARTS, FOUND, LEAF, LEVELS, TAIL, WATCH
from detent.expr import operation as op
from detent.expr.tape import SINCOS, STATE, TIME, Tape
from detent.jit.address import raw_address, raw_addresses, record_address, room_of
from detent.jit.arrays import Words
from detent.jit.program import Program

_OF_EACH = ("slack", "end_slack", "end_signs", "kept", "near", "near_times", "far")
"""What the kernel remembers of each guard, and of what the mode requires."""


@final
class Watch:
    """A tape as the exclusion kernel walks it; ``leaves`` numbers what the mode's guards read of state and rate.

    Without a tape nothing is known between the ends of a step, or what ``cubic`` says (CUBIC, STRAIGHT, or 0).
    """

    def __init__(
        self, tape: Tape | None, leaves: dict[int, int], affine: Program | None = None, cubic: int = 0
    ) -> None:
        self.record = np.zeros(1, dtype=WATCH)
        self.record["cubic"] = cubic
        self._alive: list[Any] = [affine]
        if tape is None:
            return
        jets, flags = np.zeros((max(1, tape.slots), JET)), np.zeros(max(1, tape.slots), dtype=np.int64)
        first = tape.first_constant
        jets[first : first + len(tape.constants), :2] = tape.constants[:, None]
        read, values, clock = [], [], -1
        for bank, index, slot in tape.loads.tolist():
            if bank == TIME:
                clock, flags[slot] = slot, MOVING
            elif bank == STATE:
                read.append((slot, leaves[index]))
                flags[slot] = MOVING
            else:
                values.append((slot, index))
        tables = [np.ascontiguousarray(table) for table in tape.tables]
        needed = {
            "code": 5 * len(tape), "jets": tape.slots * JET, "flags": tape.slots, "outputs": len(tape.outputs),
            "tables": len(tables), "leaves": 2 * len(read), "values": 2 * len(values),
            "drawn": 2 * len(tape.drawn),
            "pieces": LEVELS * (LEAF * len(read) + TAIL), "factors": len(read) + 2, "ends": 4 * len(tape.outputs),
            "anchors": ANCHOR * len(tape) + 1,
        }  # fmt: skip
        addresses = np.array(raw_addresses(tables) or [0], dtype=np.int64)
        self._put(
            needed, code=np.ascontiguousarray(tape.code), jets=jets, flags=flags, outputs=tape.outputs.astype(np.int64),
            tables=addresses,
            leaves=_pairs(read), values=_pairs(values), drawn=_pairs(tape.drawn.tolist()),
            pieces=np.zeros(LEVELS * (LEAF * len(read) + TAIL)), factors=np.zeros(len(read) + 2),
            ends=np.zeros(4 * len(tape.outputs)), anchors=np.zeros(ANCHOR * len(tape) + 1),
        )  # fmt: skip
        self._alive.append(tables)
        self.jets, self.flags, self.tables = jets, flags, addresses
        """Of every slot, and where tables are: for whoever walks the tape by itself."""
        self.record["certified"], self.record["length"], self.record["clock"] = 1, len(tape), clock
        self.record["walk"] = TAPE_BOUNDS.address("walk_watch")
        self.record["walk_anchored"] = TAPE_BOUNDS.address("walk_anchored")
        self.record["leaf_count"], self.record["value_count"] = len(read), len(values)
        self.record["output_count"], self.record["drawn_count"] = len(tape.outputs), len(tape.drawn)
        self.record["kinks"] = _kinks(tape, flags)
        self.record["affine"] = 0 if affine is None else raw_address(affine.cell)

    def _put(self, needed: dict[str, int], **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            kinds = (np.int32,) if name == "code" else (np.float64, np.int64)
            self.record[name] = room_of(f"a watch's {name}", array, needed[name], kinds)
        self._alive.append(arrays)


_NOTHING: Final = Watch(None, {})
"""Nothing is known between the ends of a step."""


@final
class Leaves:
    """What the guards of some tapes read of state and rate, and what is known of that over a step."""

    def __init__(self, tapes: Sequence[Tape | None], relative: float) -> None:
        places = sorted({index for tape in tapes if tape is not None for index in state_places(tape)})
        self.numbers = {index: number for number, index in enumerate(places)}
        room = len(places) + 1
        self.arrays: dict[str, NDArray[Any]] = {
            "leaves": np.array([*places, 0], dtype=np.int64), "coefficients": np.zeros(COEFFICIENTS * room),
            "rounding": np.zeros(room), "tolerance": np.zeros(room), "interpolation": np.zeros(room),
            "relative": np.array([relative]),
        }  # fmt: skip


@final
class Certificate:
    """All that is watched in a mode: its guards, then what it requires.

    ``tapes`` gives a tape for each (None where nothing is known between the ends of a step), ``affine`` the program of
    its factors where it is affine; ``together`` is one tape of all that are not, in their order. ``twins`` says which
    of them are guards once more: n + 1 for guard n, -(n + 1) for its negative, 0 for none. ``cubic`` says of which a
    cubic through the ends of a step stands for what nothing else is known of.
    """

    def __init__(
        self, tapes: Sequence[Tape | None], affine: Sequence[Program | None], together: Tape | None, relative: float,
        twins: Sequence[int], cubic: Sequence[int] = (),
    ) -> None:  # fmt: skip
        leaves = Leaves(tapes, relative)
        each = zip(tapes, affine, cubic or [0] * len(tapes), strict=True)
        watches = [Watch(tape, leaves.numbers, straight, bends) for tape, straight, bends in each]
        screen = None if together is None else Watch(together, leaves.numbers)
        bent = [tape is not None and straight is None for tape, straight in zip(tapes, affine, strict=True)]
        screened = [sum(bent[:number]) if is_bent else -1 for number, is_bent in enumerate(bent)]
        self._fill(watches, leaves, screen, screened, twins)

    @classmethod
    def blank(cls, most: int, leaves: Leaves) -> Certificate:
        """Room for so many guards, of what the kernel puts together; it knows the watches of their tapes."""
        made = cls.__new__(cls)
        made._fill([_NOTHING] * most, leaves, None, [-1] * most, [0] * most)
        return made

    def _fill(
        self, watches: Sequence[Watch], leaves: Leaves, screen: Watch | None, screened: Sequence[int],
        twins: Sequence[int],
    ) -> None:  # fmt: skip
        self._watches, self._screen, self._leaves = watches, screen, leaves
        count, words = len(watches) + 1, np.int64
        self._arrays: dict[str, NDArray[Any]] = {
            **leaves.arrays, "screened": np.array([*screened, -1], dtype=words),
            "watches": np.array([*raw_addresses([watch.record for watch in watches]), 0], dtype=words),
            "found": np.zeros(FOUND), "slack": np.zeros(count), "end_slack": np.zeros(count),
            "end_signs": np.zeros(count, dtype=words),
            "shared": np.zeros(1, dtype=words), "twins": np.array([*twins, 0], dtype=words),
            "kept": np.zeros(count, dtype=words), "near": np.full(count, DEPARTS, dtype=words),
            "near_times": np.zeros(count), "far": np.zeros(count, dtype=words),
        }  # fmt: skip
        self.record = np.zeros(1, dtype=CERTIFICATE)
        self.record["count"], self.record["leaf_count"] = len(watches), len(leaves.numbers)
        self.record["screen"] = 0 if screen is None else record_address(screen.record)
        each, leaf = dict.fromkeys(("screened", "watches", "twins", *_OF_EACH), len(watches)), len(leaves.numbers)
        needed = {"coefficients": COEFFICIENTS * leaf}
        needed |= dict.fromkeys(("leaves", "rounding", "tolerance", "interpolation"), leaf)
        needed |= each | {"relative": 1, "found": FOUND, "shared": 1}
        for name, array in self._arrays.items():
            self.record[name] = room_of(f"a certificate's {name}", array, needed[name])
        self.address = record_address(self.record)
        """Where the kernel finds it; valid as long as it lives."""

    @property
    def count(self) -> int:
        """Of how many guards, and of what a mode requires."""
        return int(self.record["count"][0])

    @property
    def room(self) -> int:
        """For how many there is room."""
        return len(self._watches)

    def watch(self, number: int, watch: Watch, twin: int = 0) -> None:
        """Let one of its guards, or what it requires, be watched so."""
        self._arrays["watches"][number], self._arrays["twins"][number] = record_address(watch.record), twin

    def take_over(self, other: Certificate) -> None:
        """Go on where another one of the same guards stands."""
        for name in _OF_EACH:
            self._arrays[name][: self.count] = other._arrays[name][: self.count]


def state_places(tape: Tape) -> list[int]:
    """The places of the state, and beyond its width of its rate, that a tape reads, in the order of its slots."""
    return [index for bank, index, _ in tape.loads.tolist() if bank == STATE]


def _kinks(tape: Tape, flags: Words) -> bool:
    """Whether the rate of what a tape gives may jump: where something moves that a choice hangs on.

    One that hangs on parameters and discrete states alone is made between steps.
    """
    moves, steps = (flags & MOVING != 0).tolist(), tape.code.tolist()
    for operation, to, one, other, third in steps:
        if operation == SINCOS:
            moves[to] = moves[other] = moves[one]
            continue
        read = [one] if operation == op.TABLE else [one, other, third][: op.OPERATIONS[operation].arity]
        moved = [moves[slot] for slot in read]
        if operation in op.RATE_MAY_JUMP and (moved[0] if operation == op.SELECT else any(moved)):
            return True
        moves[to] = any(moved)
    return False


def _pairs(pairs: list[tuple[int, int]]) -> Words:
    return np.array([*pairs, (0, 0)], dtype=np.int64)
