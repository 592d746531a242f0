"""How a run is made: one object of options for everything that makes runs."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, final

import numpy as np

from detent.errors import UnknownNameError, ValueProblem
from detent.formulation.compiled import EMBEDDINGS, Embedding
from detent.formulation.registry import FormulationOption, chosen
from detent.hybrid.mode import Mode
from detent.simulation.building import Modes, checked_modes
from detent.simulation.keeping import Keep, checked_bytes, checked_keep
from detent.stepping.tableau import TABLEAUS

Impacts: TypeAlias = Literal["waves", "simultaneous", "sequential"]
IMPACTS: Final[tuple[Impacts, ...]] = ("waves", "simultaneous", "sequential")

MOST_STEPS: Final = 2_000_000
"""A run of more steps that are all kept is more likely stuck than long, and would fill the memory."""


@final
@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a run, the same for :func:`detent.simulate`, :class:`detent.Simulation` and ready models.

    ``start``, ``parameters`` and ``inputs`` replace the model's own values, by name or by symbol. ``constraints`` names
    those of the system's constraints that are active at the start, if not all that it declares as active; ``mode`` the
    mode in which an automaton starts, if not its first.

    ``method`` is ``dop853`` or ``dopri5`` (adaptive, with tolerances ``rtol`` and ``atol``, the latter ``rtol/100`` if
    not given; ``step`` is then the largest step) or ``rk4`` (fixed ``step``).

    ``keep`` says how much of its past the run keeps: ``"everything"``, ``"events"`` with the states before and after
    each, or a number, the last so many seconds; ``times`` keeps the states at these times only. A run that keeps
    everything stops after ``most_steps`` (two million), and any run where it keeps ``most_bytes`` (2**30).

    ``embedding``: ``symbolic`` solves for u' in generated code, ``numeric`` in the kernel, ``live`` in the kernel until
    generated code is there. ``formulation`` says how constraints are handled: ``embedded`` eliminates dependent speeds,
    ``multipliers`` solves for the reactions beside all accelerations, ``projection`` goes along the null space,
    ``corrected`` takes residuals out at the end of a step, ``sliding_manifold`` drives multipliers by a controller,
    ``penalty`` puts springs and dampers in their place and in that of contacts, ``complementarity`` and ``impulse`` let
    contacts push once a step, by forces or by impulses, ``dae`` has steps by solvers of differential-algebraic
    equations in place of ``method`` (classes of these names have their settings). ``modes`` says when the
    modes of an automaton are built: ``lazy`` when they are first entered, ``ahead`` also in the background
    (the default in live runs), ``all`` before the start. ``impacts`` says in which order several contacts strike at one
    instant where they give something back: in ``waves`` (those that approach, then those that approach after that),
    ``simultaneous`` (all at once, in Poisson's two phases) or ``sequential`` (one after the other). ``name`` is the
    name of the run, if not that of the model.

    >>> fine = Options(rtol=1e-12)
    >>> fine.method, fine.absolute_tolerance
    ('dop853', 1e-14)
    """

    start: Mapping[Any, Any] | None = None
    parameters: Mapping[Any, Any] | None = None
    inputs: Mapping[Any, Any] | None = None
    constraints: Sequence[str] | None = None
    mode: str | Mode | None = None
    method: str = "dop853"
    rtol: float = 1e-9
    atol: float | None = None
    step: float | None = None
    times: Any = None
    keep: Keep = "everything"
    most_bytes: float | None = None
    most_steps: int | None = None
    embedding: Embedding = "symbolic"
    formulation: str | FormulationOption = "embedded"
    modes: Modes | None = None
    impacts: Impacts = "waves"
    name: str | None = None

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "step"):
            _check_number(name, getattr(self, name), optional=name != "rtol", several=name == "atol")
        if self.most_steps is not None and not as_number(self.most_steps) >= 1:
            raise ValueProblem(f"most_steps is {self.most_steps!r}; give a number of steps, one or more")
        for name, words in (("embedding", EMBEDDINGS), ("impacts", IMPACTS)):
            _check_word(name, getattr(self, name), words)
        if not isinstance(self.method, str):
            raise ValueProblem(f"method is {self.method!r}; use one of {', '.join(TABLEAUS)}")
        if not isinstance(self.name, (str, type(None))):
            raise ValueProblem(f"name is {self.name!r}; give the run a text as its name")
        for checked in (self.chosen_formulation, self.when_modes_are_built, self.kept, self.bytes_kept_at_most):
            _ = checked

    @classmethod
    def of(cls, given: Options | None, changes: Mapping[str, Any]) -> Options:
        """Options as given, with some of them changed by name.

        >>> Options.of(None, {"method": "rk4", "step": 0.01}).step
        0.01
        """
        for name in changes:
            if name not in cls.__dataclass_fields__:
                raise UnknownNameError(name, list(cls.__dataclass_fields__), what="option of a run")
        if given is None:
            return cls(**changes)
        if not isinstance(given, Options):
            raise ValueProblem(f"options is {given!r}; give detent.Options(...)")
        return dataclasses.replace(given, **changes) if changes else given

    @property
    def absolute_tolerance(self) -> Any:
        return self.rtol / 100 if self.atol is None else self.atol

    @property
    def chosen_formulation(self) -> FormulationOption:
        return chosen(self.formulation)

    @property
    def when_modes_are_built(self) -> Modes:
        return checked_modes(self.modes, self.embedding)

    @property
    def kept(self) -> Keep:
        return checked_keep(self.keep, self.times)

    @property
    def bytes_kept_at_most(self) -> int:
        return checked_bytes(self.most_bytes)

    @property
    def steps_at_most(self) -> int:
        if self.most_steps is not None:
            return int(min(self.most_steps, sys.maxsize))
        return MOST_STEPS if self.times is None and self.keep == "everything" else sys.maxsize

    @property
    def is_live(self) -> bool:
        """Whether steps must come on time."""
        return self.embedding == "live"

    def with_times_up_to(self, end: float) -> Options:
        """The same, once it is known how long the run is: the times asked for must lie in it."""
        if self.times is None:
            return self
        try:
            is_text = np.asarray(self.times).dtype.kind in "US"  # which NumPy would read as numbers
            asked = np.full(1, np.nan) if is_text else np.atleast_1d(np.asarray(self.times, float))
        except (TypeError, ValueError, OverflowError):
            asked = np.full(1, np.nan)
        if asked.ndim != 1 or not np.isfinite(asked).all() or (np.diff(asked) <= 0).any() or len(asked) == 0:
            raise ValueProblem("times must be finite numbers in increasing order; sort them and remove doubles")
        if asked[0] < 0 or asked[-1] > end:
            first, last = float(asked[0]), float(asked[-1])
            raise ValueProblem(f"times go from {first!r} to {last!r}; they must lie between 0 and until = {end!r}")
        return dataclasses.replace(self, times=asked)


def as_number(value: Any) -> float:
    """The value as a float; NaN if it is no number, which every check refuses.

    >>> as_number("1")
    nan
    """
    try:
        return math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _check_number(name: str, value: Any, optional: bool, several: bool) -> None:
    """That a setting is a number at all, or several; what numbers it may be is for the method to say."""
    if (value is None and optional) or (several and np.ndim(value) > 0):
        return
    if np.ndim(value) > 0 or math.isnan(as_number(value)):
        raise ValueProblem(f"{name} is {value!r}; give a number greater than zero")


def _check_word(name: str, value: Any, words: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in words:
        raise ValueProblem(f"{name} is {value!r}; use one of {', '.join(words)}")
