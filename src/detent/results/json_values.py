"""Values that any reader of JSON accepts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def json_object(values: dict[str, Any]) -> dict[str, Any]:
    """The same values with plain Python numbers, and null where a number is not finite.

    JSON has no NaN and no infinity; null says that there is no number to give.

    >>> json_object({"gap": float("inf"), "steps": np.int64(3), "names": ("q",)})
    {'gap': None, 'steps': 3, 'names': ['q']}
    """
    return {str(name): _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return json_object(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
