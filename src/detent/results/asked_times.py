"""Times at which something is asked of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from detent.errors import ValueProblem
from detent.jit.arrays import FloatArray


def asked_times(times: Any) -> FloatArray:
    """The same as numbers, s. Text is none, though NumPy would read it as one.

    >>> asked_times([0, 0.5]).tolist()
    [0.0, 0.5]
    >>> asked_times("0.3")
    Traceback (most recent call last):
    detent.errors.ValueProblem: values are asked for at the times '0.3'; give numbers, in s
    """
    try:
        found = np.asarray(times)
        if found.dtype.kind not in "USO":
            return found.astype(np.float64, copy=False)
        if found.dtype.kind == "O" and not any(isinstance(each, str | bytes) for each in found.flat):
            return found.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueProblem(f"values are asked for at the times {times!r}; give numbers, in s")
