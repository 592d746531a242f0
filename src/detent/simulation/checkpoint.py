"""Where a simulation stands, kept in a file, so that it can go on in another process."""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detent.errors import ResultFileError, ValueProblem
from detent.formulation.registry import settings_of, with_settings
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.field_kinds import Misfit, parsed
from detent.results.whole_file import write_whole
from detent.simulation.checkpoint_contacts import with_modes_of
from detent.simulation.checkpoint_fields import FIELDS, checked
from detent.simulation.checkpoint_fit import check_model
from detent.simulation.options import Options

if TYPE_CHECKING:
    from detent.simulation.context import Context
    from detent.simulation.director import DirectorState
    from detent.simulation.simulation import Simulation
    from detent.simulation.standing import Standing

FORMAT: Final = 4
WITHOUT_FORMULATION: Final = 1
"""The format of checkpoints from when there was only one formulation."""
WITHOUT_CONTACTS: Final = 2
"""The format of checkpoints from before there were contacts."""
WITHOUT_BOUNCES: Final = 3
"""The format of checkpoints that do not tell how often contacts have bounced, nor what has been said."""
MOST_BYTES: Final = 1 << 26
"""No checkpoint is longer than this."""
KEPT: Final = ("start", "parameters", "constraints", "mode", "method", "rtol", "atol", "step", "formulation", "impacts")
"""What a run keeps that goes on from a checkpoint."""


@dataclass(frozen=True)
class SavedPartition:
    """Which speeds a mode made the dependent ones: a mode that is entered again keeps its choice."""

    rows: list[int]
    dependent: list[int]
    independent: list[int]
    redundant: list[int]
    bound: list[float]
    numbers: list[float] = field(default_factory=list)
    """What else a formulation keeps."""


@dataclass(frozen=True)
class SavedStatuses:
    """What contacts do in a mode: modes of contacts are made as a run meets them."""

    family: str
    key: list[float]


@dataclass(frozen=True)
class SavedBounces:
    """How often a place of contact has bounced since it last rested, and the last times at which it did."""

    count: int
    times: list[float]


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
    choices: dict[str, SavedPartition | None]
    """What was chosen in each mode that was entered; None for modes without constraints."""
    method: str
    rtol: float
    atol: float
    step: float | None
    embedding: str
    formulation: dict[str, Any]
    """Its name and its settings."""
    clock: list[float]
    number: int
    signs: dict[str, int]
    """The sign of each transition's guard in the present mode."""
    zeno: dict[str, list[float]]
    contacts: dict[str, SavedStatuses]
    """The statuses of contacts in each mode that was entered, where there are contacts."""
    impacts: str
    """In which order contacts strike."""
    bounces: dict[str, SavedBounces]
    """Of each place of contact that has bounced: so that a run which goes on counts on."""
    repeats: dict[str, int]
    """How often each transition of an automaton without contacts was taken since it last accumulated."""
    said: list[str]
    """What is said once, and has been."""


def checkpoint_of(context: Context, standing: Standing, saved: DirectorState) -> Checkpoint:
    """Where a run stands."""
    context.solver.depend_on_state()
    clock, number = context.solver.pace
    options, formulation = context.options, context.options.chosen_formulation
    return Checkpoint(
        format=FORMAT,
        name=context.name,
        layout=list(context.compiled.layout.names),
        values_layout=context.compiled.value_names,
        time=context.time,
        state=context.solver.state.tolist(),
        values=context.values.vector.tolist(),
        parameters=dict(context.parameters),
        inputs=context.values.constants(),
        next_change=standing.next_change if math.isfinite(standing.next_change) else None,
        mode=saved.mode,
        constraints=[constraint.name for constraint in standing.constraints],
        choices={name: None if choice is None else SavedPartition(**choice) for name, choice in saved.choices.items()},
        method=options.method,
        rtol=options.rtol,
        atol=options.absolute_tolerance,
        step=options.step,
        embedding=options.embedding,
        formulation={"name": formulation.name, "settings": settings_of(formulation)},
        clock=clock,
        number=number,
        signs=saved.signs,
        zeno=saved.zeno,
        contacts={name: SavedStatuses(family, list(key)) for name, (family, key) in saved.contacts.items()},
        impacts=options.impacts,
        bounces={name: SavedBounces(count, times) for name, (count, times) in saved.bounces.items()},
        repeats=saved.repeats,
        said=saved.said,
    )


# -- the file ----------------------------------------------------------------------------------------


def write_checkpoint(context: Context, standing: Standing, saved: DirectorState, path: str | os.PathLike[str]) -> None:
    """Write where a run stands to a file, whole or not at all."""
    content = asdict(checkpoint_of(context, standing, saved))
    text = json.dumps({**content, "digest": _digest(content)}, indent=1)
    write_whole(path, lambda file: file.write(f"{text}\n".encode()))


def _digest(content: dict[str, Any]) -> str:
    """Tells a file that was damaged, or changed by hand, from one that was written here."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; what is not one is refused, and so is a field that holds what it cannot."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ResultFileError(
            f"cannot read '{path}': {error.strerror}; give a file that simulation.checkpoint wrote"
        ) from error
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        made = parsed(content.decode("utf-8"))
        sealed = isinstance(made, dict) and made.pop("digest", None) == _digest(made)
    except (ValueError, RecursionError) as error:
        raise ResultFileError(f"'{path}' is not a checkpoint: {error}; write one with simulation.checkpoint") from error
    if isinstance(made, dict):
        _bring_up_to_date(made)
    if not isinstance(made, dict) or set(made) != set(FIELDS) or made["format"] != FORMAT:
        raise ResultFileError(f"'{path}' is not a checkpoint of this version; write one with simulation.checkpoint")
    if not sealed:
        raise ResultFileError(f"'{path}' is damaged, or was changed by hand; write the checkpoint again")
    try:
        fields = checked(made)
    except Misfit as error:
        raise ResultFileError(f"'{path}' was changed: {error}; write the checkpoint again") from error
    fields["choices"] = {
        name: None if kept is None else SavedPartition(**kept) for name, kept in fields["choices"].items()
    }
    fields["contacts"] = {name: SavedStatuses(**kept) for name, kept in fields["contacts"].items()}
    fields["bounces"] = {name: SavedBounces(**kept) for name, kept in fields["bounces"].items()}
    return Checkpoint(**fields)


def _bring_up_to_date(made: dict[str, Any]) -> None:
    """What older checkpoints did not have, as it was then."""
    later: dict[int, dict[str, Any]] = {
        WITHOUT_FORMULATION: {"formulation": {"name": "embedded", "settings": {}}},
        WITHOUT_CONTACTS: {"contacts": {}, "impacts": Options.impacts},
        WITHOUT_BOUNCES: {"bounces": {}, "repeats": {}, "said": []},
    }
    for number, fields in later.items():
        if made.get("format") == number and not set(fields) & set(made):
            made |= {**fields, "format": number + 1}


# -- going on ----------------------------------------------------------------------------------------


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
    found = with_modes_of(model, read_checkpoint(path))
    check_model(found, model, inputs)
    chosen: Any = embedding or found.embedding
    return Simulation(
        model,
        parameters=found.parameters,
        inputs=inputs,
        mode=None if found.contacts else found.mode,
        constraints=found.constraints if found.mode is None else None,
        method=found.method,
        rtol=found.rtol,
        atol=found.atol,
        step=found.step,
        embedding=chosen,
        formulation=with_settings(found.formulation["name"], found.formulation["settings"]),
        impacts=found.impacts,
        checkpoint=found,
        **more,
    )
