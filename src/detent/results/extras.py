"""Packages that are there only when asked for."""

from __future__ import annotations

import importlib
from types import ModuleType

from detent.errors import MissingExtraError


def require(package: str, purpose: str, extra: str = "files") -> ModuleType:
    """Import a package of an extra, or say how to get it.

    >>> require("orrery", "plan")
    Traceback (most recent call last):
        ...
    detent.errors.MissingExtraError: orrery is needed to plan and is not installed; run: pip install "detent[files]"
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        # A package that is there but broken must speak for itself.
        whole = package.partition(".")[0]
        if error.name not in (package, whole):
            raise
        raise MissingExtraError(package=whole, extra=extra, purpose=purpose) from None
