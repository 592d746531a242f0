"""Which names a quantity may have."""

from __future__ import annotations

import keyword
import unicodedata
from typing import Final

from detent.errors import Fault

RUN_WORDS: Final = frozenset(
    {
        "t", "time", "at", "final", "start", "until", "mode", "modes", "method", "rtol", "atol", "step",
        "steps", "outcome", "message", "events", "audit", "timing", "trajectory", "name", "names", "parameters",
        "layout", "save", "load", "summary", "as_json", "to_xarray", "to_pandas", "kinetic", "potential",
        "energy", "kinetic_energy", "potential_energy", "work", "evaluate", "position", "reactions", "example",
        "discrete", "near_misses", "remarks", "contacts", "contact_features", "gaps", "slips", "frictions", "points",
        "forces", "moments", "inputs", "loads", "units", "model", "value", "to_csv", "plot", "with_model",
    }
)  # fmt: skip
"""Words that mean something else on a run or on the command line."""


def name_fault(kind: str, name: str, taken: dict[str, str]) -> Fault | None:
    """What is wrong with a quantity's name, if anything.

    >>> print(name_fault("parameter", "sin", {}))
    parameter 'sin': the name is reserved for the function or constant 'sin'; choose another name.
    """
    from detent.expr.text import CONSTANTS, FUNCTIONS  # the table of operations: importing a model does without

    where = f"{kind} '{name}'"
    if not name.isidentifier() or name.startswith("__"):
        return Fault(where, "the name is not a plain identifier", "use letters, digits and _ and begin with a letter")
    if keyword.iskeyword(name):
        return Fault(where, "the name is a word of Python's own", f"choose another, such as '{name}_1'")
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return Fault(where, f"Python reads its letters as '{plain}'", f"write it as '{plain}'")
    if name in FUNCTIONS or name in CONSTANTS:
        return Fault(where, f"the name is reserved for the function or constant '{name}'", "choose another name")
    if name in RUN_WORDS or name.startswith("_"):
        return Fault(where, "the name is reserved for an attribute of a run", f"choose another, such as '{name}_1'")
    if name in taken:
        return Fault(where, f"the name is taken by the {taken[name]} '{name}'", "choose another name")
    return None
