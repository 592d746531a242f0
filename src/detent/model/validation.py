"""Everything that can be wrong with a model and its values, found in one go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from detent.errors import ExpressionError, Fault, ModelError
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.expr.text import number_from_text
from detent.model.body import Body
from detent.model.contact_states import contact_states
from detent.model.input import FUNCTION_REMEDY, Held, Sampled, is_function
from detent.model.names import name_fault
from detent.model.system import System
from detent.model.units import unit_faults


def checked_values(
    system: System,
    parameters: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
) -> tuple[dict[str, float], dict[str, float]]:
    """The values of parameters and the start values of states, discrete ones too, after all checks without equations.

    ``parameters``, ``start`` and ``inputs`` replace what the model says. Raises :class:`ModelError` with every fault
    found.
    """
    faults = list(system.faults)
    values = _parameters(system, parameters or {}, faults)
    states = _start(system, start or {}, faults)
    faults += _automatic_names(system)
    faults += _quaternion_faults(system, states)
    faults += _input_faults(system, inputs or {})
    faults += unit_faults(system)
    for body in system.bodies.values():
        faults += _body_faults(system, body, values)
    if system.contacts:
        from detent.model.contact_check import contact_faults  # brings all kinds of shapes

        for contact in system.contacts.values():
            faults += contact_faults(system, contact, values)
    if faults:
        raise ModelError(faults)
    return values, states


def check_changed(system: System, values: dict[str, float], changed: Mapping[str, float]) -> None:
    """That bodies can have the values that parameters take under way; only those that speak of them are looked at."""
    faults = []
    for body in system.bodies.values():
        spoken = {symbol.name for each in _entries(body) for symbol in sympy.sympify(each).free_symbols}
        if spoken & {*changed}:
            faults += _body_faults(system, body, values)
    if faults:
        raise ModelError(faults)


def _number(where: str, value: Any, faults: list[Fault]) -> float:
    try:
        number = number_from_text(value) if isinstance(value, str) else float(value)
    except ExpressionError as error:
        faults.append(Fault(where, f"its value cannot be read: {error}", "give a number, such as 0.3 or pi/12"))
        return math.nan
    except (TypeError, ValueError, OverflowError):
        faults.append(Fault(where, f"its value {value!r} is no number", "give a number, such as 0.3 or pi/12"))
        return math.nan
    if not math.isfinite(number):
        faults.append(Fault(where, f"its value is {number}", "give a finite number"))
        return math.nan
    return number


def _unknown(kind: str, name: str, known: list[str]) -> Fault:
    return Fault(f"{kind} '{name}'", "there is nothing of that name", f"use one of: {', '.join(known) or '(none)'}")


def _parameters(system: System, given: Mapping[str, Any], faults: list[Fault]) -> dict[str, float]:
    known = [symbol.name for symbol in system.parameter_values]
    faults += [_unknown("parameter", name, known) for name in given if name not in known]
    values = {}
    for symbol, default in system.parameter_values.items():
        value = given.get(symbol.name, default)
        where = f"parameter '{symbol.name}'"
        if value is None:
            faults.append(Fault(where, "it has no value", f"give one, such as parameters={{'{symbol.name}': 1.0}}"))
            values[symbol.name] = math.nan
        else:
            values[symbol.name] = _number(where, value, faults)
    return values


def _start(system: System, given: Mapping[str, Any], faults: list[Fault]) -> dict[str, float]:
    states = [*system.coordinate_list, *system.all_speeds(), *system.signal_rates, *system.discrete_states]
    known = [symbol.name for symbol in states]
    merged = {**system.start_values, **given}
    kept = {name for contact in system.contacts.values() for name, _ in contact_states(contact, first=True)}
    told = [name for name in known if name not in kept]  # what contacts keep of their own nobody gives
    faults += [_unknown("start value", name, told) for name in merged if name not in known]
    upright = {parts[0].name: 1.0 for parts in system.quaternions}  # no rotation, where nothing is said
    turned = {part.name for parts in system.quaternions if any(p.name in merged for p in parts) for part in parts}
    merged = {**{name: value for name, value in upright.items() if name not in turned}, **merged}
    return {name: _number(f"start value of '{name}'", merged.get(name, 0.0), faults) for name in known}


def _automatic_names(system: System) -> list[Fault]:
    """Faults of the speeds that coordinates get by themselves."""
    taken = {symbol.name: symbol.role for symbol in system.quantities()}
    own = [speed for speed in system.all_speeds() if speed not in system.speed_definitions]
    found = (name_fault("speed", speed.name, taken) for speed in own)
    return [fault for fault in found if fault is not None]


def _input_faults(system: System, given: Mapping[str, Any]) -> list[Fault]:
    rules = {symbol.name: rule for symbol, rule in system.input_rules.items()}
    faults = [_unknown("input", name, list(rules)) for name in given if name not in rules]
    for name, rule in rules.items():
        where, by_run = f"input '{name}'", isinstance(rule, (Held, Sampled)) or rule.is_number
        value = given.get(name, rule)
        if name in given and not by_run:
            found = f"the model makes it the expression {rule}, which a run cannot replace"
            faults.append(Fault(where, found, "declare it with a number, detent.Held or detent.Sampled instead"))
        elif is_function(value):
            faults.append(Fault(where, f"found the Python function {value!r}", FUNCTION_REMEDY))
        elif by_run and not isinstance(value, (Held, Sampled)):
            _number(where, value, faults)
    return faults


def _quaternion_faults(system: System, states: dict[str, float]) -> list[Fault]:
    faults = []
    for parts in system.quaternions:
        length = math.sqrt(sum(states[part.name] ** 2 for part in parts))
        if not math.isnan(length) and abs(length - 1.0) > 1e-6:
            names = ", ".join(part.name for part in parts)
            faults.append(
                Fault(
                    f"quaternion ({names})", f"it starts with length {length:.6g}", "give it start values of length 1"
                )
            )
    return faults


def _entries(body: Body) -> list[Any]:
    """The mass and the moments of inertia."""
    moments = body.inertia
    return [body.mass, moments.xx, moments.yy, moments.zz, moments.xy, moments.yz, moments.zx]


def _body_faults(system: System, body: Body, values: dict[str, float]) -> list[Fault]:
    where, graph = f"body '{body.name}'", Graph()
    convert = FromSympy(graph, {symbol: graph.leaf(symbol.name) for symbol in system.parameter_values})
    try:
        nodes = [convert(entry) for entry in _entries(body)]
    except ExpressionError as error:
        return [Fault(where, f"its mass or inertia cannot be worked out ({error})", "use parameters and numbers only")]
    if any(math.isnan(values[name]) for node in nodes for name in graph.leaf_names(node)):
        return []  # a parameter it is made from has no value, which has been said already
    mass, xx, yy, zz, xy, yz, zx = evaluate_nodes(nodes, values)
    faults = []
    if not (mass > 0 and math.isfinite(mass)):
        faults.append(Fault(where, f"its mass is {mass:.6g}", "give it a finite mass greater than zero"))
    if body.inertia.planar:
        if not (zz >= 0 and math.isfinite(zz)):
            faults.append(
                Fault(where, f"its moment of inertia is {zz:.6g}", "give it one that is finite and not negative")
            )
        return faults
    matrix = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    if not np.isfinite(matrix).all():
        return [*faults, Fault(where, "its inertia is not finite", "mend the values it is made from")]
    small, middle, large = np.linalg.eigvalsh(matrix)
    slack = 1e-9 * max(1e-300, abs(large))
    if small < -slack or small + middle < large - slack:
        found = f"its principal moments of inertia are {small:.6g}, {middle:.6g}, {large:.6g}, which no body can have"
        remedy = "each must be at least zero and at most the sum of the other two"
        faults.append(Fault(where, found, remedy))
    return faults
