"""What a notebook shows of a system: its quantities as formulas, and its parts by name."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import sympy

from detent.model.units import known_units

if TYPE_CHECKING:
    from detent.model.system import System


def page_of(system: System) -> str:
    """The system as a table in HTML.

    >>> import detent
    >>> system = detent.System("a <b>")
    >>> q = system.coordinates("q1")
    >>> "a &lt;b&gt;" in page_of(system), "$q_{1}$" in page_of(system), r"$\\dot{q}_{1}$" in page_of(system)
    (True, True, True)
    >>> system.units(q1="rad")
    >>> "$q_{1}$ [rad]" in page_of(system)
    True
    """
    units = known_units(system)

    def with_unit(symbol: Any) -> str:
        return f"{_set(symbol)} [{_said(units[symbol.name])}]" if symbol.name in units else _set(symbol)

    values = [
        f"{_set(symbol)} = {_said(value)} {_said(units.get(symbol.name, ''))}".rstrip()
        for symbol, value in system.parameter_values.items()
    ]
    rows = {
        "parameters": values,
        "coordinates": map(with_unit, system.coordinate_list),
        "speeds": map(with_unit, system.all_speeds()),
        "signals": map(_set, system.signal_rates),
        "inputs": map(with_unit, system.input_rules),
        "bodies": map(html.escape, system.bodies),
        "loads": map(html.escape, system.loads),
        "constraints": map(html.escape, system.constraints),
        "contacts": map(html.escape, system.contacts),
    }
    cells = [_row(heading, list(names)) for heading, names in rows.items()]
    return f"<table><caption>{html.escape(system.name)}</caption>{''.join(cells)}</table>"


def _row(heading: str, names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"<tr><th>{heading}</th><td>{listed}</td></tr>" if listed else ""


def _set(symbol: Any) -> str:
    return f"${html.escape(sympy.latex(symbol))}$"


def _said(value: Any) -> str:
    return html.escape(f"{value:.9g}" if isinstance(value, float) else str(value))
