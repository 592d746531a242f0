"""An object cache of its own for every test of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled objects; it does not exist yet."""
    folder = tmp_path / "objects"
    monkeypatch.setenv("DETENT_CACHE_DIR", str(folder))
    return folder
