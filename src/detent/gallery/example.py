"""Examples by name: a system with the values, the duration and the settings it is usually run with."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from detent.errors import UnknownNameError, ValueProblem
from detent.hybrid.automaton import Automaton
from detent.model.system import System

if TYPE_CHECKING:
    from detent.results.run import Run

NAMES: Final = (
    "pendulum", "double-pendulum", "chain", "heavy-top", "tumbling-body", "swing-bar", "four-bar-chain", "slider-crank",
    "andrews-squeezer", "rolling-disk", "tip-on-a-line", "closing-loop", "disk-on-ramp", "adjustable-fence",
    "drawn-fence", "conveyor-pendulum", "bouncing-ball", "kneed-walker", "passive-walker", "latch", "detent-escapement",
    "bouncing-ball-contact", "disk-on-ramp-contact", "conveyor-pendulum-contact", "stick-slip",
    "rocking-block", "ladder", "impact-oscillator", "painleve-rod", "kane-puzzle",
    "woodpecker", "sliding-sphere", "spinning-table", "cam-follower", "ramps-and-ground", "v-groove", "newtons-cradle",
    "ball-on-path",
    "ball-in-bowl", "ball-in-bowl-minimal", "seven-link-biped", "speed-held-particle",
)  # fmt: skip


MOST_PARTS: Final = 1000
"""Of links or loops in an example: what can still be derived in minutes."""


@dataclass(frozen=True, eq=False)
class Example:
    """A system ready to run.

    >>> import detent
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> run.outcome.word
    'completed'
    """

    name: str
    system: System
    until: float
    """How long it is usually run, s."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of :func:`detent.simulate`, such as ``method`` or ``rtol``."""
    structure: Mapping[str, Any] = field(default_factory=dict)
    """The structural arguments it was built with, such as ``links``."""
    automaton: Automaton | None = None
    """Its modes and transitions, where it has any."""

    def simulate(self, **changes: Any) -> Run:
        """Run it; ``changes`` are arguments of :func:`detent.simulate` that replace the example's own.

        ``resume`` names a checkpoint to go on from; the example's script, which begins at t = 0, is then left out.
        """
        from detent.simulation.simulate import simulate

        if "resume" in changes:
            return self._resumed(**changes)
        arguments = {"until": self.until, "name": self.name, **self.settings, **changes}
        return simulate(self.automaton or self.system, **arguments)

    def _resumed(self, resume: str, until: float | None = None, progress: bool | None = None, **more: Any) -> Run:
        """Go on from a checkpoint; what it says about method, tolerances and values stays as it is."""
        from detent.simulation.checkpoint import resume as go_on
        from detent.simulation.simulate import run_to

        checkpoint = more.pop("checkpoint", None)
        fixed = sorted(set(more) - {"embedding", "inputs"})
        if fixed:
            raise ValueProblem(
                f"a run that goes on from a checkpoint keeps its {', '.join(fixed)}; leave that out, or start a new run"
            )
        simulation = go_on(self.automaton or self.system, resume, name=self.name, **more)
        end = self.until if until is None else until
        if end < simulation.time:
            raise ValueProblem(
                f"the checkpoint stands at t = {simulation.time:.9g}; go on to a later time than {end!r}"
            )
        return run_to(simulation, end, checkpoint=checkpoint, progress=progress)


def _module(name: str) -> ModuleType:
    if name not in NAMES:
        raise UnknownNameError(name, NAMES, what="example")
    return importlib.import_module(f"detent.gallery.{name.replace('-', '_')}")


def examples() -> dict[str, str]:
    """The names of all examples, each with one line on what it shows.

    >>> import detent
    >>> "pendulum" in detent.examples()
    True
    """
    return {name: str(_module(name).TITLE) for name in NAMES}


def structure_of(name: str) -> dict[str, Any]:
    """The structural arguments of an example, with their usual values.

    >>> structure_of("chain")["links"]
    5
    """
    build: Callable[..., Example] = _module(name).build
    return {key: parameter.default for key, parameter in inspect.signature(build).parameters.items()}


def example(name: str, **structure: Any) -> Example:
    """Build an example by its name; ``structure`` sets structural arguments such as ``links``.

    >>> import detent
    >>> len(detent.example("chain", links=3).system.bodies)
    3
    """
    module, known = _module(name), structure_of(name)
    chosen = {}
    for key, value in structure.items():
        if key not in known:
            raise UnknownNameError(key, known, what=f"structural argument of '{name}'")
        chosen[key] = _structural(f"'{key}' of '{name}'", value, counted=isinstance(known[key], int))
    made: Example = module.build(**chosen)
    return made


def _structural(where: str, value: Any, counted: bool) -> float:
    """A structural argument: a finite number, or a number of parts."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not counted:
        if not math.isfinite(number):
            raise ValueProblem(f"{where} is {value!r}; give a finite number")
        return number
    if not (1 <= number <= MOST_PARTS and number == int(number)):
        raise ValueProblem(f"{where} is {value!r}; give a whole number from 1 to {MOST_PARTS}")
    return int(number)
