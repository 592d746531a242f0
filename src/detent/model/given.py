"""Values given for a model's quantities: by name, or by the quantities themselves as resets take them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from detent.errors import Fault, ModelError
from detent.model.quantity import Quantity, Rate
from detent.model.system import System


def by_name(system: System, kind: str, given: Mapping[Any, Any] | None) -> dict[str, Any]:
    """Given values by name. A quantity stands for its name, a coordinate's rate for the speed that it is.

    ``kind`` says what they are in messages. Whether there is anything of that name is not looked at here.

    >>> import detent
    >>> system = detent.System("example")
    >>> x = system.coordinates("x")
    >>> by_name(system, "start value", {x: 1, x.rate: 2})
    {'x': 1, 'x_rate': 2}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        found = f"found {given!r} where a mapping from names to values was expected"
        raise ModelError([Fault(f"the {kind}s", found, "write {'name': value} or {symbol: value}")])
    speeds = {definition: speed.name for speed, definition in system.all_speeds().items()}
    made: dict[str, Any] = {}
    faults = []
    for key, value in given.items():
        name = _name(system, speeds, key)
        if isinstance(name, Fault):
            faults.append(Fault(f"{kind} '{key}'", name.found, name.remedy))
        elif name in made:
            faults.append(Fault(f"{kind} '{name}'", "it is given twice", "give it once"))
        else:
            made[name] = value
    if faults:
        raise ModelError(faults)
    return made


def _name(system: System, speeds: Mapping[Any, str], key: Any) -> str | Fault:
    if isinstance(key, str):
        return unicodedata.normalize("NFKC", key)  # as Python reads a name that is written down as one
    if not isinstance(key, Quantity):
        return Fault("", "it is neither a name nor a quantity", "use a name or a symbol of the system")
    if key.owner != system.number:
        return Fault("", "it belongs to another system", f"use quantities of '{system.name}'")
    if isinstance(key, Rate) and key not in speeds:
        return Fault("", "it is not a speed by itself", f"give the speeds: {', '.join(speeds.values())}")
    return speeds.get(key, key.name)
