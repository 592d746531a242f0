"""The texts that decide what kernels become: their own modules and all that these import.

They are found by following the imports in the text. Nothing is imported for it: a process that finds its kernels in
the cache never imports Numba, nor the kernels' sources.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterable
from typing import Any, Final

MAKERS: Final = ("detent.jit.gathering_codegen", "detent.jit.kernel_compiler", "detent.jit.kernel_translator")
"""Modules that decide what becomes of every kernel."""

_IMPORT: Final = re.compile(
    r"^(?:import[ ]+(?P<whole>detent[\w.]*)|from[ ]+(?P<parent>detent[\w.]*)[ ]+import[ ]+(?P<names>\([^)]*\)|[^\n]*))",
    re.MULTILINE,
)


def texts_of(modules: Iterable[str]) -> dict[str, str]:
    """The texts of some modules, of those of detent that they import, and of what makes kernels of them, by name.

    >>> sorted(texts_of(["detent.solves.mass_solve_kernel"]))[:2]
    ['detent.algebra.factorisation_kernel', 'detent.jit.abi']
    """
    texts: dict[str, str] = dict(_makers())
    _follow(modules, texts)
    return dict(sorted(texts.items()))


@functools.cache
def _makers() -> tuple[tuple[str, str], ...]:
    texts: dict[str, str] = {}
    _follow(MAKERS, texts)
    return tuple(texts.items())


def _follow(modules: Iterable[str], texts: dict[str, str]) -> None:
    """Adds the texts of some modules, and of what they import, to those already there."""
    for module in modules:
        if module not in texts:
            texts[module] = _text_of(module)
            _follow(_imported_by(texts[module]), texts)


def _imported_by(text: str) -> list[str]:
    """The modules of detent that a module imports at its top level; packages themselves hold nothing."""
    found: list[str] = []
    for match in _IMPORT.finditer(text):
        parent = match["parent"] or match["whole"]
        spec = importlib.util.find_spec(parent)
        if spec is None or spec.submodule_search_locations is None:
            found.append(parent)
        elif match["names"]:
            names = re.sub(r"#[^\n]*|[()]", "", match["names"]).split(",")
            found += [f"{parent}.{name.split()[0]}" for name in names if name.strip()]
    return found


def _text_of(module: str) -> str:
    """A module's text, without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the source of '{module}', from which kernels are compiled, is missing; reinstall")
    loader: Any = spec.loader
    text: bytes = loader.get_data(spec.origin)  # also from a zip archive
    return text.decode("latin-1")
