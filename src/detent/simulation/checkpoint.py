"""Where a simulation stands, kept in a file, so that it can go on in another process."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detent.dynamics.partition import Partition
from detent.errors import DetentError, ResultFileError
from detent.hybrid.automaton import Automaton
from detent.model.system import System

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

FORMAT: Final = 1


@dataclass(frozen=True)
class Checkpoint:
    """Everything that decides how a run goes on. Numbers are kept to the last bit."""

    format: int
    name: str
    layout: list[str]
    values_layout: list[str]
    time: float
    state: list[float]
    values: list[float]
    parameters: dict[str, float]
    mode: str | None
    """The automaton's mode, if there is an automaton."""
    constraints: list[str]
    partition: list[list[int]] | None
    bound: list[float] | None
    method: str
    rtol: float
    atol: float
    step: float | None
    embedding: str
    clock: list[float]
    number: int
    signs: dict[str, int]
    """The sign of each transition's guard in the present mode."""
    zeno: dict[str, list[float]]

    def chosen(self) -> Partition | None:
        """Which speeds were the dependent ones."""
        if self.partition is None:
            return None
        rows, dependent, independent = (tuple(numbers) for numbers in self.partition)
        return Partition(rows, dependent, independent, (), ())


def checkpoint_of(simulation: Simulation) -> Checkpoint:
    """Where a simulation stands."""
    embedded, following = simulation.current.embedded, simulation.following
    kept = None if embedded is None or embedded.drops else embedded.partition
    clock, number = simulation.solver.pace
    return Checkpoint(
        format=FORMAT,
        name=simulation.name,
        layout=list(simulation.compiled.layout.names),
        values_layout=simulation.compiled.value_names,
        time=simulation.time,
        state=simulation.solver.state.tolist(),
        values=simulation.values.vector.tolist(),
        parameters=dict(simulation.parameters),
        mode=None if following is None else following.current.name,
        constraints=list(simulation.active),
        partition=None if kept is None else [list(kept.rows), list(kept.dependent), list(kept.independent)],
        bound=None if embedded is None else embedded.solve.bound.tolist(),
        method=simulation.method,
        rtol=simulation.rtol,
        atol=simulation.atol,
        step=simulation.step,
        embedding=simulation.embedding,
        clock=clock,
        number=number,
        signs={} if following is None else following.signs(),
        zeno={} if following is None else following.zeno(),
    )


def write_checkpoint(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write where a simulation stands to a file, whole or not at all."""
    target = Path(path)
    text = json.dumps(asdict(checkpoint_of(simulation)), allow_nan=False, indent=1)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.resolve().parent, prefix=".detent-", suffix=target.suffix)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        raise ResultFileError(f"cannot write '{path}': {error.strerror}; choose a place that is writable") from error
    finally:
        if temporary:
            os.unlink(temporary)


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; what is not one is refused."""
    try:
        made = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultFileError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise ResultFileError(f"'{path}' is not a checkpoint: {error}; write one with simulation.checkpoint") from error
    expected = set(Checkpoint.__dataclass_fields__)
    if not isinstance(made, dict) or set(made) != expected or made.get("format") != FORMAT:
        raise ResultFileError(f"'{path}' is not a checkpoint of this version; write one with simulation.checkpoint")
    found = Checkpoint(**made)
    _check_numbers(path, found)
    return found


def _check_numbers(path: str | os.PathLike[str], found: Checkpoint) -> None:
    lists = [found.state, found.values, found.clock, [found.time, found.number], list(found.parameters.values())]
    try:
        good = all(np.isfinite(np.array(numbers, dtype=float)).all() for numbers in lists)
        good = good and len(found.state) == len(found.layout) and len(found.values) == len(found.values_layout)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ResultFileError(f"'{path}' is damaged: some of its numbers are none; write the checkpoint again")


def check_fits(found: Checkpoint, simulation: Simulation) -> None:
    """That a checkpoint was made by this model."""
    here = (list(simulation.compiled.layout.names), simulation.compiled.value_names)
    if here != (found.layout, found.values_layout):
        raise DetentError(
            f"the checkpoint is of '{found.name}' with the states {', '.join(found.layout[:-1])}, and the model has "
            f"{', '.join(here[0][:-1])} (or other parameters); give the model that the checkpoint was made with"
        )


def resume(
    model: System | Automaton, path: str | os.PathLike[str], *, inputs: Any = None, embedding: Any = None, **more: Any
) -> Simulation:
    """Go on from a checkpoint that :meth:`Simulation.checkpoint` wrote, with the same model.

    With a fixed step the run goes on to the last bit as if it had not been stopped. Inputs given to the run as
    functions or tables must be given again; ``more`` are further arguments of :class:`Simulation`.

    >>> import detent, tempfile, os
    >>> pendulum = detent.example("pendulum").system
    >>> whole = detent.Simulation(pendulum, method="rk4", step=0.01)
    >>> whole.advance(1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     whole.checkpoint(os.path.join(folder, "half.json"))
    ...     rest = detent.resume(pendulum, os.path.join(folder, "half.json"))
    >>> whole.advance(2)
    >>> rest.advance(2)
    >>> rest.state.values.tolist() == whole.state.values.tolist()
    True
    """
    from detent.simulation.simulation import Simulation

    found = read_checkpoint(path)
    automaton = isinstance(model, Automaton)
    if automaton != (found.mode is not None):
        raise DetentError(
            f"the checkpoint is of {'an automaton' if found.mode is not None else 'a system'} and the model is "
            f"{'an automaton' if automaton else 'a system'}; give the model that the checkpoint was made with"
        )
    chosen: Any = embedding or found.embedding
    return Simulation(
        model,
        parameters=found.parameters,
        inputs=inputs,
        mode=found.mode,
        constraints=None if automaton else found.constraints,
        method=found.method,
        rtol=found.rtol,
        atol=found.atol,
        step=found.step,
        embedding=chosen,
        checkpoint=found,
        **more,
    )
