"""Whether a checkpoint is of this model: of its states, values, modes, transitions and inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from detent.dynamics.quantities import multiplier_name
from detent.errors import DetentError, ValueProblem, listed
from detent.formulation.registry import FORMULATIONS
from detent.hybrid.automaton import Automaton
from detent.hybrid.status_automaton import automaton_of_contacts
from detent.model.constraint import Constraint
from detent.model.system import System
from detent.simulation.checkpoint_contacts import check_statuses
from detent.simulation.checkpoint_misfit import GIVE, refused

if TYPE_CHECKING:
    from detent.simulation.checkpoint import Checkpoint, SavedPartition
    from detent.simulation.context import Context


def check_model(found: Checkpoint, model: System | Automaton, inputs: Mapping[str, Any] | None) -> None:
    """All that can be told before the model's equations are derived."""
    own = FORMULATIONS[found.formulation["name"]].owns_contacts
    contacts = None if own else automaton_of_contacts(model)
    automaton = contacts or (model if isinstance(model, Automaton) else None)
    here = _kind(automaton is not None, contacts is not None)
    there = _kind(found.mode is not None, bool(found.contacts))
    if here != there:
        raise DetentError(f"the checkpoint is of {there} and the model is {here}; {GIVE}")
    _check_names(found, model.system if isinstance(model, Automaton) else model)
    _check_inputs(found, inputs)
    if automaton is None:
        assert isinstance(model, System)
        _check_system(found, model)
        return
    _check_modes(found, automaton)
    _check_present(found, automaton)
    if contacts is not None:
        check_statuses(found, contacts)


def _kind(automaton: bool, contacts: bool) -> str:
    return "a model with contacts" if contacts else "an automaton" if automaton else "a system"


def _without_multipliers(found: Checkpoint) -> list[str]:
    """The states of the model itself: what a formulation carries besides is looked at when the run is made."""
    names = found.layout[:-1] if found.layout[-1:] == ["work"] else found.layout
    if not FORMULATIONS[found.formulation["name"]].carries:
        return names
    return [name for name in names if not name.startswith(multiplier_name(""))]


def _check_names(found: Checkpoint, system: System) -> None:
    """That a checkpoint is of a system with these states and values."""
    states = [s.name for group in (system.coordinate_list, system.all_speeds(), system.signal_rates) for s in group]
    parameters = [symbol.name for symbol in system.parameter_values]
    values = [*parameters, *(symbol.name for symbol in system.discrete_states)]
    for kind, here, there in (
        ("states", states, _without_multipliers(found)),
        ("values", values, [name for name in found.values_layout if name in values or name in found.parameters]),
        ("parameters", parameters, list(found.parameters)),
    ):
        if here != there:
            raise DetentError(
                f"the checkpoint is of '{found.name}' with the {kind} {listed(there)}, and the model has "
                f"{listed(here)}; {GIVE}"
            )


def _check_inputs(found: Checkpoint, inputs: Mapping[str, Any] | None) -> None:
    """That no input is given another number than it had: a run that goes on keeps its values."""
    for name, value in (inputs or {}).items():
        before = found.inputs.get(name)
        if before is not None and isinstance(value, (int, float)) and float(value) != before:
            raise ValueProblem(
                f"the input '{name}' was {before!r} in the run that the checkpoint is of, and is given as {value!r}; "
                "leave it out, or start a new run"
            )


def _check_modes(found: Checkpoint, automaton: Automaton) -> None:
    """That the automaton has all that the run had, also what was added while it went on, and the same rows."""
    modes = [name for name in (*found.choices, found.mode) if name not in automaton.modes]
    known = [transition.name for transition in automaton.transitions]
    transitions = [name for name in (*found.zeno, *found.signs) if name not in known]
    missing = [f"the mode '{name}'" for name in modes] + [f"the transition '{name}'" for name in transitions]
    if missing:
        raise DetentError(
            f"the checkpoint is of a run with {missing[0]}, which the automaton '{automaton.name}' lacks; add what was "
            f"added during the run, or {GIVE}"
        )
    for name, choice in found.choices.items():
        _check_choice(f"choices['{name}']", choice, automaton.modes[name].constraints, automaton.system)


def _check_present(found: Checkpoint, automaton: Automaton) -> None:
    """That the constraints, loads and guards are those of the mode in which the run stands."""
    assert found.mode is not None
    mode = automaton.modes[found.mode]
    constraints = [constraint.name for constraint in mode.constraints]
    if found.constraints != constraints:
        raise refused("constraints", listed(found.constraints), listed(constraints))
    if found.mode not in found.choices:
        raise refused("choices", found.choices, f"one for its mode '{found.mode}'")
    leaving = [transition.name for transition in automaton.leaving(mode)]
    for name in found.signs:
        if name not in leaving:
            raise refused("signs", name, f"a transition out of mode '{found.mode}'")
    values = dict(zip(found.values_layout, found.values, strict=True))
    for load in automaton.system.switched_loads:
        acts, expected = values.get(f"{load} acts"), float(load in mode.loads)
        if acts != expected:
            raise refused(f"value '{load} acts'", acts, f"{expected!r}, as in mode '{found.mode}',")


def _check_system(found: Checkpoint, system: System) -> None:
    if list(found.choices) != [""] or found.signs or found.zeno:
        raise refused("choices", found.choices, "one choice, with no signs and no zeno,")
    declared = [name for name in found.constraints if name in system.constraints]
    if declared == found.constraints:  # others are refused by name when the run begins
        _check_choice("choices['']", found.choices[""], [system.constraints[name] for name in declared], system)


def _check_choice(where: str, choice: SavedPartition | None, constraints: Sequence[Constraint], system: System) -> None:
    """That as many rows and speeds were split as there are."""
    rows = sum(len(constraint.rows) for constraint in constraints)
    speeds = len(system.all_speeds())
    if choice is None or rows == 0:
        if (choice is None) != (rows == 0):
            raise refused(where, None if choice is None else {}, "a choice" if rows else "null")
        return
    split = (len(choice.rows) + len(choice.redundant), len(choice.dependent) + len(choice.independent))
    if split != (rows, speeds):
        raise refused(where, f"of {split[0]} rows and {split[1]} speeds", f"one of {rows} rows and {speeds} speeds")


def check_fits(found: Checkpoint, context: Context) -> None:
    """That a checkpoint was made by this model, with these inputs."""
    if list(context.compiled.layout.names) != found.layout:
        raise DetentError(
            f"the checkpoint is of '{found.name}' with the states {listed(found.layout)}, and the model has "
            f"{listed(context.compiled.layout.names)}; {GIVE}"
        )
    if context.compiled.value_names != found.values_layout:
        raise DetentError(
            f"the checkpoint is of '{found.name}' with the values {listed(found.values_layout)}, and the model has "
            f"{listed(context.compiled.value_names)}; {GIVE}"
        )
    constants = context.values.constants()
    if list(constants) != list(found.inputs):
        raise refused("inputs", listed(found.inputs), listed(constants))
    for name, value in constants.items():
        before = found.inputs[name]
        if (value is None) != (before is None):
            was = "a table or a function" if before is None else f"the number {before!r}"
            raise DetentError(
                f"the input '{name}' was {was} in the run that the checkpoint is of, and is not now; give it again: "
                f"inputs={{'{name}': ...}}"
            )
    if found.next_change is not None and not context.values.rules:
        raise refused("next_change", found.next_change, "null, as all its inputs stay as they are,")
