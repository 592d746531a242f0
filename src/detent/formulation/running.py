"""The seam: what the loop of a simulation asks of a formulation, and of what a formulation makes.

The loop knows active constraints, an instant, and something that runs. How constraints are kept, what is chosen on the
way, and what is compiled when, are the formulation's own affairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from detent.dynamics.partition import Partition
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.jit.arrays import Words
from detent.results.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Instant:
    """A time, the state there, and the run-time values."""

    time: float
    state: np.ndarray
    values: np.ndarray


class Remark(NamedTuple):
    """What is worth knowing about constraints that are entered: the kind of event, and its text."""

    kind: str
    text: str


class StepVerdict(NamedTuple):
    """What looking at a step has shown: whether the loop is to be told at once, and whether the run must end."""

    calls: bool = False
    outcome: Outcome = Outcome.COMPLETED
    message: str = ""


GO_ON = StepVerdict()


class AlongNodes(NamedTuple):
    """Some nodes, looked at: the largest violation of positions and of speeds, and a column for each reaction."""

    position: float
    velocity: float
    reactions: np.ndarray


class Exchange(NamedTuple):
    """Where the kernel has turned by itself to something equal: after how many steps, when, and to what."""

    steps: int
    time: float
    running: Running


class Running(Protocol):
    """Constraints as a formulation runs them, from the instant at which they were entered on."""

    @property
    def active(self) -> ActiveRows:
        """The rows that have a reaction; none where nothing is constrained."""

    @property
    def whole(self) -> ActiveRows:
        """The same with rows that were dropped because they follow from others; they are audited too."""

    @property
    def partition(self) -> Partition:
        """Which speeds would depend on which, as chosen when it was entered."""

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What is worth knowing when it is entered."""

    # -- cells that kernels call

    @property
    def rates(self) -> Words:
        """The rates of the state."""

    @property
    def correction(self) -> Words | None:
        """Corrects every accepted state."""

    @property
    def entry(self) -> Words | None:
        """Brings a state onto the constraints where they are entered."""

    @property
    def fit(self) -> Words | None:
        """Tells, by 0, that entering at a state would make the same again; None: it always would."""

    @property
    def reactions(self) -> Words | None:
        """The reactions of the active rows."""

    # -- between steps

    @property
    def is_watched(self) -> bool:
        """Whether every step must be looked at."""

    def look(self, instant: Instant) -> StepVerdict:
        """Look at the end of a step."""

    @property
    def asks(self) -> bool:
        """Whether the formulation is to be asked what to go on with."""

    def take_up(self) -> bool:
        """Run with faster code from now on, if there is some that was made meanwhile; then ``rates`` is another."""

    def compile_later(self) -> None:
        """Have machine code made of what runs, in the background."""

    # -- afterwards

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        """Residuals and reactions at nodes, in stretches with a row of values each; from any thread."""

    @property
    def native_seconds(self) -> float | None:
        """How long making machine code took; None where there is none."""

    def saved(self) -> dict[str, Any] | None:
        """What must be known to enter it again as it is; None if nothing need be."""


class Formulation(Protocol):
    """A way to handle constraints, in one run."""

    def enter(self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Any = None) -> Running:
        """Something that runs with these rows from an instant on; ``kept`` is what was saved of it."""

    def ahead(self, active: ActiveRows, instant: Instant) -> Running | None:
        """The same before it is needed, in the background; None where one cannot tell how it will be entered."""

    def begin(self, running: Running) -> None:
        """The stepper runs this from here on."""

    def knows(self, running: Running) -> bool:
        """Whether the kernel may turn to this by itself."""

    def turns(self, steps: int) -> Iterator[Exchange]:
        """What the kernel has turned to by itself before so many steps were taken; each once."""

    def answer(self, running: Running, instant: Instant) -> Running | None:
        """What to go on with where ``running`` asks; None: as it is."""

    def improve(self, running: Running) -> None:
        """In the background: have faster code made for what has shown that it stays."""

    def runs_long(self, running: Running) -> bool:
        """Whether ``improve`` is worth calling before code is compiled as usual."""

    def tells(self, before: Running, after: Running) -> str | None:
        """What there is to say about going on with another; None: nothing."""
