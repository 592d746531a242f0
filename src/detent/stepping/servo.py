"""Steps that come when a clock says so: the memory of a servo, and what others read of it while it runs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import ValueProblem
from detent.jit.address import address_or_zero, raw_address, room_of
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE, KernelLibrary
from detent.jit.words import publish, published
from detent.stepping.frame import Control
from detent.stepping.kernels import SERVO_KERNELS
from detent.stepping.memory import Memory
from detent.stepping.servo_clock import NANOSECONDS, Clock
from detent.stepping.servo_frame import ASKED, ASKED_LONG, AXES, COURSE, HAND, SAMPLE, SERVO, ServoStage
from detent.stepping.stepper import numbers_of

INBOX_ROOM: Final = 64
"""Samples that may be posted while the kernel reads one."""
DIARY_ROOM: Final = 1 << 14
COURSE_ROOM: Final = 1 << 13
"""Steps of late that can be looked at: some seconds at 1 kHz."""

_STEPPING: Final = int(ServoStage.STEPPING)


@final
@dataclass(frozen=True)
class HandPlaces:
    """Where the values stand that a hand sets, and how fast it follows its samples."""

    grip: int
    position: tuple[int, int, int]
    velocity: tuple[int, int, int]
    gain: float
    """The part of the way to the sample that is gone in a period; 1 follows at once."""


@final
@dataclass(frozen=True)
class ServoCounts:
    """What a servo has counted.

    >>> ServoCounts(steps=4, missed=1, worst_own=0.002, worst_step=3, mean_own=0.001, over=1).missed
    1
    """

    steps: int
    missed: int
    """Deadlines that passed without the step that was due before them."""
    worst_own: float
    """The longest own computing time of a step, s."""
    worst_step: int
    """Which step that was, counted from 0."""
    mean_own: float
    over: int
    """Steps whose own computing time was longer than the period."""


@final
class Servo:
    """A step of ``period`` (s) each time that ``clock`` says so; without ``memory`` it only waits, and counts.

    ``forces`` is the cell of what hands feel. ``start`` is the time of the simulation at which its first step begins.
    ``recheck`` is what makes guards be looked at again. With ``keeps`` the kernel returns when the record is full
    and when hands have moved, otherwise it lets go of what is in it.

    >>> from detent.stepping.servo_clock import SimulatedClock
    >>> idle = Servo(1e-3, SimulatedClock([0.0, 2.5e-3]))
    >>> idle.run(4)
    0
    >>> idle.counts.steps, idle.counts.missed, idle.counts.worst_own
    (4, 4, 0.0025)
    """

    def __init__(
        self, period: float, clock: Clock, memory: Memory | None = None, steps: KernelLibrary | None = None, *,
        start: float = 0.0, hands: Sequence[HandPlaces] = (), forces: NDArray[np.int64] | None = None, recheck: int = 0,
        keeps: bool = False,
    ) -> None:  # fmt: skip
        if not 0.0 < period < np.inf or round(period * NANOSECONDS) < 1:
            raise ValueProblem(f"the period is {period!r} s; give a time of a nanosecond or more")
        self._clock, self._memory, self._hands = clock, memory, len(hands)
        self._frame = frame = np.zeros(1, dtype=SERVO)
        self._stage = frame["stage"]
        self._sample = SAMPLE * len(hands)
        width = 0 if memory is None else len(COURSE) + 2 * AXES * len(hands) + memory.width
        self._inbox, self._held = np.zeros((INBOX_ROOM, self._sample)), np.zeros(self._sample)
        self._diary = np.zeros((DIARY_ROOM, self._sample + 1))
        self._first_row = 0
        """The first step whose row is known."""
        self._courses = np.zeros((COURSE_ROOM if memory is not None else 1, width))
        self._reading, self._forces = np.zeros(2, dtype=np.int64), forces
        self._table, self._alive = self._hand_table(hands)
        arrays = {"inbox": self._inbox, "held": self._held, "diary": self._diary, "courses": self._courses}
        sizes = {"inbox": INBOX_ROOM * self._sample, "held": self._sample, "courses": len(self._courses) * width}
        for name, array in arrays.items():
            frame[name] = room_of(f"the servo's {name}", array, sizes.get(name, array.size))
        frame["hand_table"], frame["hands"] = raw_address(self._table), len(hands)
        frame["forces"] = address_or_zero(forces)
        frame["advance"] = 0 if steps is None else steps.address("advance")
        frame["clock"], frame["clock_context"] = clock.cell
        frame["period"], frame["seconds"], frame["start"] = round(period * NANOSECONDS), period, start
        frame["inbox_room"], frame["diary_room"] = INBOX_ROOM, DIARY_ROOM
        frame["course_room"], frame["course_width"] = len(self._courses), width
        frame["recheck"], frame["keeps"] = recheck, int(keeps)
        self._kernel = SERVO_KERNELS.function("advance_paced", WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
        self._read = 0

    @staticmethod
    def _hand_table(hands: Sequence[HandPlaces]) -> tuple[NDArray[np.void], list[NDArray[np.generic]]]:
        table, alive = np.zeros(max(1, len(hands)), dtype=HAND), list[NDArray[np.generic]]()
        for row, hand in zip(table, hands, strict=False):
            places, filtered = np.array([*hand.position, *hand.velocity], dtype=np.int64), np.zeros(AXES)
            row["grip"], row["gain"] = hand.grip, hand.gain
            row["places"], row["filtered"] = raw_address(places), raw_address(filtered)
            alive += [places, filtered]
        return table, alive

    # -- running -----------------------------------------------------------------------------------

    def run(self, last: int, control: Control | None = None, limit: float = np.inf) -> int:
        """Take steps until there are ``last``, or something is to be done first; returns a status."""
        self._frame["last"] = last
        words = 0 if self._memory is None else ctypes.addressof(self._memory.words)
        numbers = None if control is None else numbers_of(control)
        place = 0 if numbers is None else ctypes.addressof(numbers)
        return self._kernel(raw_address(self._frame), limit, words, place, raw_address(self._reading))

    def begin_anew(self) -> None:
        """Let the next step be due at once, however long nobody has let it run."""
        self._frame["due"] = 0
        if self.is_between:
            self._frame["stage"] = ServoStage.WAITING

    def ask(self, long: bool = False) -> None:
        """Have the kernel return before its next step, from another thread: at once where it waits; or, for what takes
        ``long``, not shortly before that step, but after it."""
        publish(self._frame["asked"], 0, ASKED_LONG if long else ASKED)
        self._clock.wake()

    def answered(self) -> None:
        """What was asked for is known: whoever asks from now on has it return once more."""
        publish(self._frame["asked"], 0, 0)
        self._clock.forget_wakes()

    @property
    def is_between(self) -> bool:
        """Whether no step is half taken."""
        return int(self._stage[0]) != _STEPPING

    @property
    def has_moved_hands(self) -> bool:
        """Whether the kernel has returned to tell that hands have moved: asked once."""
        moved = bool(self._frame["moved"][0])
        self._frame["moved"] = 0
        return moved

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return published(self._frame["number"], 0)

    @property
    def counts(self) -> ServoCounts:
        """What was counted so far."""
        frame, steps = self._frame[0], self.steps
        return ServoCounts(
            steps, int(frame["missed"]), int(frame["own_worst"]) / NANOSECONDS, int(frame["own_worst_number"]),
            int(frame["own_total"]) / NANOSECONDS / max(1, steps), int(frame["own_over"]),
        )  # fmt: skip

    def take_over(self, other: Servo, state: FloatArray) -> None:
        """Go on with the clock, the counts and the hands of another one, whose system has other contacts now; ``state``
        is where it stands. Of the steps before only the last is known from here on, as states have other numbers."""
        for name in (
            "stage", "number", "last", "due", "began", "missed", "own_worst", "own_worst_number", "own_total",
            "own_over", "posted", "seen", "written", "start",
        ):  # fmt: skip
            self._frame[name] = other._frame[name]
        self._inbox[:], self._held[:], self._diary[:] = other._inbox, other._held, other._diary
        self._table["holds"] = other._table["holds"]
        for mine, theirs in zip(self._alive[1::2], other._alive[1::2], strict=True):
            mine[:] = theirs
        self._read = other._read
        self._first_row = max(self.steps - 1, 0)
        rows = other.course()
        if len(rows):
            row = self._courses[self._first_row % len(self._courses)]
            head = len(COURSE) + 2 * AXES * self._hands
            row[:head], row[head:] = rows[-1, :head], state
            row[COURSE.index("mode")] = -1  # modes have other numbers too: the one in which the run stands

    # -- hands -------------------------------------------------------------------------------------

    def post(self, sample: FloatArray) -> None:
        """Say where all hands are, and whether they hold on; the kernel takes it up before its next step."""
        posted = int(self._frame["posted"][0])
        self._inbox[posted % INBOX_ROOM] = sample
        publish(self._frame["posted"], 0, posted + 1)

    def take_diary(self) -> FloatArray:
        """The samples that were taken up since the last time: the number of the step, then the sample."""
        first, last = self._read, published(self._frame["written"], 0)
        if last - first > DIARY_ROOM:
            raise ValueProblem(
                f"{last - first} samples of hands were taken up since they were read last, and only {DIARY_ROOM} are "
                "kept; read them more often"
            )
        self._read = last
        return self._diary[np.arange(first, last) % DIARY_ROOM].copy()

    # -- what became of it -------------------------------------------------------------------------

    def course(self, last: int = 1) -> FloatArray:
        """The rows of the last steps, oldest first: COURSE, what hands feel, where they are, the state."""
        steps = self.steps
        count = min(last, steps - self._first_row, COURSE_ROOM // 2)  # older ones may be written over meanwhile
        return self._courses[np.arange(steps - count, steps) % len(self._courses)].copy()

    def forces_of(self, row: FloatArray) -> FloatArray:
        """What hands felt, a row of three each (N)."""
        first = len(COURSE)
        return row[first : first + AXES * self._hands].reshape(-1, AXES)

    def hands_of(self, row: FloatArray) -> FloatArray:
        """Where hands were taken to be, a row of three each (m)."""
        first = len(COURSE) + AXES * self._hands
        return row[first : first + AXES * self._hands].reshape(-1, AXES)

    def state_of(self, row: FloatArray) -> FloatArray:
        """The state."""
        return row[len(COURSE) + 2 * AXES * self._hands :]
