"""The arrays of one stepper, and the frame of addresses through which the kernels find them."""

from __future__ import annotations

import ctypes
from typing import Any, Final, final

import numpy as np

from detent.errors import ValueProblem
from detent.jit.address import raw_address, room_of
from detent.jit.arrays import FloatArray, Words
from detent.jit.calling import call_once
from detent.stepping.crossing import CrossingMemory
from detent.stepping.crossing_frame import ASKED
from detent.stepping.frame import CLOCK, COUNTERS, CURRENT, LANES, LOOKS_FIRST, Control, StepFrame
from detent.stepping.implicit import ImplicitMemory
from detent.stepping.partners import EventSearch
from detent.stepping.stepper import words_of
from detent.stepping.tableau import Tableau
from detent.stepping.trajectory_piece import TrajectoryPiece

_CAPACITY: Final = StepFrame._fields.index("capacity")


@final
class Memory:
    """Everything a kernel reads and writes for one stepper; lives as long as its addresses are in use."""

    def __init__(
        self, method: Tableau, rhs: Words, projection: Words, values: FloatArray, absolute: FloatArray,
        width: int, dense: bool,
    ) -> None:  # fmt: skip
        self.width = width
        self.padded = -(-width // LANES) * LANES
        self.values = values
        self.current = np.zeros(1, dtype=CURRENT)
        self.after_step, self.again, self.beginning = np.zeros((3, 2), dtype=np.int64)
        self.stop = np.zeros(1 + ASKED, dtype=np.int64)
        self.switch(rhs, projection)
        extra = len(method.extra_c) if dense else 0
        self.dense_rows = len(method.dense) if dense else 0
        self._stages = method.stages
        self._method = _Packed(method, self.padded, extra)
        self.absolute = np.full(self.padded, np.inf)
        self.absolute[: len(absolute)] = absolute
        self.clock, self.counters = np.zeros(1, dtype=CLOCK), np.zeros(1, dtype=COUNTERS)
        self.time, self.mode = self.clock["time"], self.current["mode"]
        self.steps, self.rows = self.counters["steps"], self.counters["rows"]
        """Fields that are looked at often: to find one by its name takes longer than to read it."""
        self.state, self.trial, self.argument, self._zeros = np.zeros((4, self.padded))
        self._sizes = np.zeros(2)
        self.errors = np.zeros((2, self.padded))
        self.rates = np.zeros((method.stages + 1 + extra, self.padded))
        self._crossing = CrossingMemory(method, extra, self.rates, self.trial)
        shared = {
            "rates": self.rates, "trial": self.trial, "absolute": self.absolute, "counters": self.counters,
            "current": self.current,
        }  # fmt: skip
        self.implicit = ImplicitMemory(method, extra, shared, len(absolute))
        sizes = {
            "stages": method.stages, "extra_stages": extra, "error_rows": len(method.error),
            "error_reads_end": int(bool(method.error[:, -1].any())), "dense_rows": self.dense_rows,
            "width": self.padded, "controlled": len(absolute), "capacity": 0, "events": 0,
            "interruption": 0, "meet": 0, "settle": 0, "excursion": 0,
        }  # fmt: skip
        arrays = {
            "current": self.current, "values": values, "stop": self.stop, "absolute": self.absolute,
            "weights": self._method.weights, "offsets": self._method.offsets, "starts": self._method.starts,
            "nodes": self._method.nodes, "clock": self.clock, "counters": self.counters, "state": self.state,
            "rates": self.rates, "trial": self.trial, "argument": self.argument, "errors": self.errors,
            "zeros": self._zeros, "sizes": self._sizes, "after_step": self.after_step,
            "again": self.again, "crossing": self._crossing.record, "implicit": self.implicit.record,
        }  # fmt: skip
        record: dict[str, Any] = dict.fromkeys(("record_time", "record_state", "record_rate", "record_dense"), 0)
        self._record = self.room_for(0)
        needed = self._needed(method, extra)
        places = {name: room_of(f"the stepper's {name}", array, needed.get(name, 0)) for name, array in arrays.items()}
        self.frame = StepFrame(**sizes, **places, **record)

    @property
    def frame(self) -> StepFrame:
        """Sizes and addresses as the kernels know them by name."""
        return StepFrame(*self.words)

    @frame.setter
    def frame(self, frame: StepFrame) -> None:
        self.words = words_of(frame)
        """The same as the kernels read it: made once, for many calls."""

    def _needed(self, method: Tableau, extra: int) -> dict[str, int]:
        """How many numbers or words the kernels find, or leave, in each array."""
        rows = method.stages + 1 + extra
        return {
            "current": 1, "stop": 1 + ASKED, "after_step": 2, "again": 2, "sizes": 2, "clock": 1, "counters": 1,
            "crossing": 1, "implicit": 1,
            "absolute": self.padded, "state": self.padded, "trial": self.padded,
            "argument": self.padded, "zeros": self.padded, "errors": len(method.error) * self.padded,
            "rates": rows * self.padded, "nodes": rows,
        }  # fmt: skip

    def begin_anew(self) -> None:
        """Find out what kind of step to take, as if none had been taken before."""
        self.clock["implicit"], self.clock["limited"], self.clock["wait"] = LOOKS_FIRST, 0.0, 0.0
        self.implicit.forget()
        if self.beginning[0] != 0:
            call_once(self.beginning, float(self.time[0]), self.state, self.values, self.argument)

    def switch(self, rhs: Words, projection: Words) -> None:
        """Call other programs from now on."""
        self._cells: tuple[Any, ...] = (rhs, projection)
        self.stop[1:], self.again[:] = 0, 0
        self.current["rates"], self.current["projection"] = raw_address(rhs), raw_address(projection)

    def exchange(self, rhs: Words, projection: Words | None = None) -> None:
        """Call another program for the rates; what corrects the state stays, also where the kernel has chosen it.

        Unless another is given.
        """
        self._cells = (rhs, projection, self._cells)
        self.current["rates"] = raw_address(rhs)
        if projection is not None:
            self.current["projection"] = raw_address(projection)

    def follow(self, search: EventSearch) -> None:
        """Look for events from now on, with these tables."""
        self._search = search
        meet, settle, excursion = search.kernels()
        self.frame = self.frame._replace(
            events=ctypes.addressof(search.frame), interruption=raw_address(search.excursion), meet=meet, settle=settle,
            excursion=excursion,
        )  # fmt: skip

    def room_for(self, steps: int) -> TrajectoryPiece:
        """An empty record for so many steps, with rows as wide as the kernels write them."""
        return TrajectoryPiece(
            np.empty(steps),
            np.empty((steps, self.padded)),
            np.empty((steps, self.padded)),
            np.empty((steps, self.dense_rows, self.padded)),
        )

    def make_room(self, steps: int) -> None:
        """Let the record hold so many steps; it is empty afterwards."""
        self.rows[0] = 0
        if len(self._record) >= steps:
            self.words[_CAPACITY] = steps
            return
        self._record = self.room_for(steps)
        self.frame = self.frame._replace(capacity=steps, **self.addresses_of(self._record, steps))

    def take_record(self) -> TrajectoryPiece | None:
        """The steps recorded since the last time, as arrays of their own; None when there are none."""
        count = int(self.rows[0])
        self.rows[0] = 0
        return self.copied(self._record, 0, count) if count else None

    def put_down(self) -> bool:
        """Record the present node, with nothing but its rate for the interpolant; whether there is room for more."""
        row, record = int(self.rows[0]), self._record
        record.time[row], record.state[row], record.rate[row] = self.time[0], self.state, self.rates[0]
        record.dense[row] = 0.0
        self.rows[0] = row + 1
        return row + 1 < self.words[_CAPACITY]

    def copied(self, record: TrajectoryPiece, first: int, count: int) -> TrajectoryPiece:
        """Some rows of a record as arrays of their own, without what fills them up."""
        rows, width = slice(first, first + count), self.width
        return TrajectoryPiece(
            record.time[rows].copy(), record.state[rows, :width].copy(), record.rate[rows, :width].copy(),
            record.dense[rows, :, :width].copy(),
        )  # fmt: skip

    def addresses_of(self, record: TrajectoryPiece, steps: int) -> dict[str, int]:
        """Where the arrays of a record for so many steps are, by the names that frames have for them."""
        needed = {"time": steps, "state": steps * self.padded, "rate": steps * self.padded}
        needed["dense"] = steps * self.dense_rows * self.padded
        return {
            f"record_{name}": room_of(f"the record's {name}", getattr(record, name), count)
            for name, count in needed.items()
        }

    def first_not_finite(self) -> int | None:
        """The first entry that is not finite, in the first stage of the last trial, or its end, that has one."""
        rows = [*self.rates[:, : self.width], self.trial[: self.width]]
        bad = [np.flatnonzero(~np.isfinite(row)) for row in rows]
        return next((int(entries[0]) for entries in bad if len(entries)), None)

    def largest_error(self, relative: float) -> int | None:
        """The entry of the state with the largest error of the last trial, measured by the tolerances."""
        scale = self.absolute + relative * np.abs(self.state)
        return int(np.argmax(np.abs(self.errors[0]) / scale)) if self.errors[0].any() else None


class _Packed:
    """A method's rows without their zeros, in the order the kernels count them: stages, errors, dense output."""

    def __init__(self, method: Tableau, padded: int, extra: int) -> None:
        rows = [*method.a, method.b, *method.extra_a[:extra], *method.error, *method.dense]
        columns = [np.flatnonzero(row) for row in rows]
        self.starts = np.concatenate([[0], np.cumsum([len(used) for used in columns])]).astype(np.int64)
        self.offsets = (np.concatenate(columns) * padded).astype(np.int64)
        self.weights = np.concatenate([row[used] for row, used in zip(rows, columns, strict=True)])
        self.nodes = np.concatenate([method.c, [1.0], method.extra_c])


def check_values(values: FloatArray) -> None:
    """Refuse values that programs cannot read where they are."""
    if values.dtype != np.float64 or not values.flags.c_contiguous:
        raise ValueProblem(
            f"values is an array of {values.dtype} that programs cannot read in place; give a contiguous array of "
            "float64 and change it in place."
        )


def control_of(method: Tableau, rtol: float, step: float) -> Control:
    """The numbers that decide how large the steps are."""
    return Control(
        step=step,
        relative=rtol,
        error_order=float(method.error_order),
        memory=method.memory,
        smallest_factor=method.smallest_factor,
        largest_factor=method.largest_factor,
    )
