"""hatchling as the build backend, told one thing more: to build a wheel, the kernels must be translated.

An editable install carries no kernels, so it needs no Numba to be built.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling import build
from hatchling.build import *  # noqa: F403  the hooks of PEP 517 and PEP 660

TRANSLATORS = ("numba", "llvmlite")


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What hatchling needs, and what translates kernels, in the versions that detent itself asks for."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    translators = [name for name in project["dependencies"] if name.startswith(TRANSLATORS)]
    return [*build.get_requires_for_build_wheel(config_settings), *translators]
