"""Where a simulation stands, kept in a file, so that it can go on in another process."""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detent.dynamics.partition import Partition
from detent.errors import DetentError, ResultFileError, ValueProblem, listed
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.whole_file import write_whole

if TYPE_CHECKING:
    from detent.simulation.automaton_run import AutomatonRun
    from detent.simulation.mode import Mode
    from detent.simulation.simulation import Simulation

FORMAT: Final = 1
KEPT: Final = ("start", "parameters", "constraints", "mode", "method", "rtol", "atol", "step")
"""What a run keeps that goes on from a checkpoint."""


@dataclass(frozen=True)
class Choice:
    """Which speeds a mode made the dependent ones: a mode that is entered again keeps its choice."""

    rows: list[int]
    dependent: list[int]
    independent: list[int]
    redundant: list[int]
    bound: list[float]

    @property
    def partition(self) -> Partition:
        return Partition(
            tuple(self.rows), tuple(self.dependent), tuple(self.independent), tuple(self.redundant), contradictory=()
        )


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
    inputs: dict[str, float | None]
    """The value of each input that stays as it is; None for tables and functions."""
    next_change: float | None
    """When an input takes its next value; None if none does."""
    mode: str | None
    """The automaton's mode, if there is an automaton."""
    constraints: list[str]
    choices: dict[str, Choice | None]
    """What was chosen in each mode that was entered; None for modes without constraints."""
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


def checkpoint_of(simulation: Simulation) -> Checkpoint:
    """Where a simulation stands."""
    if not simulation.can_go_on:
        raise DetentError(
            f"the simulation cannot go on from t = {simulation.time:.9g} ({simulation.message or 'it is not finished'})"
            "; write a checkpoint before that"
        )
    following = simulation.following
    clock, number = simulation.solver.pace
    change = simulation.next_change
    return Checkpoint(
        format=FORMAT,
        name=simulation.name,
        layout=list(simulation.compiled.layout.names),
        values_layout=simulation.compiled.value_names,
        time=simulation.time,
        state=simulation.solver.state.tolist(),
        values=simulation.values.vector.tolist(),
        parameters=dict(simulation.parameters),
        inputs=simulation.values.constants(),
        next_change=change if math.isfinite(change) else None,
        mode=None if following is None else following.current.name,
        constraints=list(simulation.active),
        choices={"": _choice(simulation.current)} if following is None else _choices(following),
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


def _choices(following: AutomatonRun) -> dict[str, Choice | None]:
    """What was chosen in the modes that were entered; in those not entered since a checkpoint, what that one says."""
    made = {}
    for mode in sorted(following.visited, key=lambda mode: mode.name):
        built = following.built.get(mode)
        made[mode.name] = following.kept.get(mode) if built is None else _choice(built)
    return made


def _choice(mode: Mode) -> Choice | None:
    if mode.embedded is None:
        return None
    chosen = mode.embedded.choice
    return Choice(
        rows=list(chosen.rows),
        dependent=list(chosen.dependent),
        independent=list(chosen.independent),
        redundant=list(chosen.redundant),
        bound=mode.embedded.solve.bound.tolist(),
    )


# -- the file ----------------------------------------------------------------------------------------


def write_checkpoint(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write where a simulation stands to a file, whole or not at all."""
    content = asdict(checkpoint_of(simulation))
    text = json.dumps({**content, "digest": _digest(content)}, indent=1)
    write_whole(path, lambda file: file.write(f"{text}\n".encode()))


def _digest(content: dict[str, Any]) -> str:
    """Tells a file that was damaged, or changed by hand, from one that was written here."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; what is not one is refused."""
    try:
        made = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultFileError(
            f"cannot read '{path}': {error.strerror}; give a file that simulation.checkpoint wrote"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ResultFileError(f"'{path}' is not a checkpoint: {error}; write one with simulation.checkpoint") from error
    expected = {*Checkpoint.__dataclass_fields__, "digest"}
    if not isinstance(made, dict) or set(made) != expected or made["format"] != FORMAT:
        raise ResultFileError(f"'{path}' is not a checkpoint of this version; write one with simulation.checkpoint")
    digest = made.pop("digest")
    if digest != _digest(made):
        raise ResultFileError(f"'{path}' is damaged, or was changed by hand; write the checkpoint again")
    made["choices"] = {name: None if kept is None else Choice(**kept) for name, kept in made["choices"].items()}
    return Checkpoint(**made)


# -- going on ----------------------------------------------------------------------------------------


def _check_names(found: Checkpoint, system: System) -> None:
    """That a checkpoint is of a system with these states and values."""
    states = [s.name for group in (system.coordinate_list, system.all_speeds(), system.signal_rates) for s in group]
    values = [*(symbol.name for symbol in system.parameter_values), *(symbol.name for symbol in system.discrete_states)]
    for kind, here, there in (
        ("states", states, found.layout[:-1]),
        ("values", values, [name for name in found.values_layout if name in values or name in found.parameters]),
    ):
        if here != there:
            raise DetentError(
                f"the checkpoint is of '{found.name}' with the {kind} {listed(there)}, and the model has "
                f"{listed(here)}; give the model that the checkpoint was made with"
            )


def check_fits(found: Checkpoint, simulation: Simulation) -> None:
    """That a checkpoint was made by this model, with these inputs."""
    if simulation.compiled.value_names != found.values_layout:
        raise DetentError(
            f"the checkpoint is of '{found.name}' with the values {listed(found.values_layout)}, and the model has "
            f"{listed(simulation.compiled.value_names)}; give the model that the checkpoint was made with"
        )
    for name, value in simulation.values.constants().items():
        before = found.inputs[name]
        if (value is None) != (before is None):
            was = "a table or a function" if before is None else f"the number {before!r}"
            raise DetentError(
                f"the input '{name}' was {was} in the run that the checkpoint is of, and is not now; give it again: "
                f"inputs={{'{name}': ...}}"
            )


def _check_modes(found: Checkpoint, automaton: Automaton) -> None:
    """That the automaton has all that the run had: also what was added while it went on."""
    modes = [name for name in found.choices if name not in automaton.modes]
    transitions = [name for name in found.zeno if name not in [transition.name for transition in automaton.transitions]]
    missing = [f"the mode '{name}'" for name in modes] + [f"the transition '{name}'" for name in transitions]
    if missing:
        raise DetentError(
            f"the checkpoint is of a run with {missing[0]}, which the automaton '{automaton.name}' lacks; add what was "
            "added during the run, or give the model that the checkpoint was made with"
        )


def _check_inputs(found: Checkpoint, inputs: Any) -> None:
    """That no input is given another number than it had: a run that goes on keeps its values."""
    for name, value in (inputs or {}).items():
        before = found.inputs.get(name)
        if before is not None and isinstance(value, (int, float)) and float(value) != before:
            raise ValueProblem(
                f"the input '{name}' was {before!r} in the run that the checkpoint is of, and is given as {value!r}; "
                "leave it out, or start a new run"
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

    fixed = sorted(set(more) & set(KEPT))
    if fixed:
        raise ValueProblem(
            f"a run that goes on from a checkpoint keeps its {', '.join(fixed)}; leave that out, or start a new run"
        )
    found = read_checkpoint(path)
    automaton = isinstance(model, Automaton)
    if automaton != (found.mode is not None):
        raise DetentError(
            f"the checkpoint is of {'an automaton' if found.mode is not None else 'a system'} and the model is "
            f"{'an automaton' if automaton else 'a system'}; give the model that the checkpoint was made with"
        )
    _check_names(found, model.system if isinstance(model, Automaton) else model)
    _check_inputs(found, inputs)
    if isinstance(model, Automaton):
        _check_modes(found, model)
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
