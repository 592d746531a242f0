"""An object cache of its own for every test of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from detent.jit.background import in_background
from detent.jit.kernels import KERNELS
from detent.stepping.kernels import FIXED_STEPS


@pytest.fixture(scope="session", autouse=True)
def kernels() -> None:
    """Loaded from the usual cache, so that no test compiles them again into a folder of its own."""
    KERNELS.address("interpret")
    FIXED_STEPS.address("advance")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled objects; it does not exist yet."""
    # What earlier tests left to the background thread would land in this folder otherwise.
    in_background(int).result(timeout=120)
    folder = tmp_path / "objects"
    monkeypatch.setenv("DETENT_CACHE_DIR", str(folder))
    return folder
