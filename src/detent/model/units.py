"""The units of quantities, where a model gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detent.errors import Fault

if TYPE_CHECKING:
    from detent.model.system import System


def known_units(system: System) -> dict[str, str]:
    """Units by the names of quantities: those that were said, and those of speeds that are rates of coordinates.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, y = system.coordinates("x", "y")
    >>> system.units(x="m")
    >>> known_units(system)
    {'x': 'm', 'x_rate': 'm/s'}
    """
    said = system.unit_texts
    rates = {symbol.rate: said[symbol.name] for symbol in system.coordinate_list if symbol.name in said}
    speeds = {speed.name: _per_second(rates[rule]) for speed, rule in system.all_speeds().items() if rule in rates}
    return {**said, **{name: unit for name, unit in speeds.items() if name not in said}}


def unit_faults(system: System) -> list[Fault]:
    """Units of what does not exist.

    >>> import detent
    >>> system = detent.System("example")
    >>> system.units(lenght="m")
    >>> print(unit_faults(system)[0])
    unit of 'lenght': there is nothing of that name; use one of: (none).
    """
    known = [symbol.name for symbol in (*system.quantities(), *system.all_speeds())]
    known = list(dict.fromkeys(known))
    remedy = f"use one of: {', '.join(known) or '(none)'}"
    return [
        Fault(f"unit of '{name}'", "there is nothing of that name", remedy)
        for name in system.unit_texts
        if name not in known
    ]


def _per_second(unit: str) -> str:
    return f"{unit}/s" if unit.replace(" ", "").isalpha() and " " not in unit else f"({unit})/s"
