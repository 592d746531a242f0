"""A real browser for the tests in this folder: Playwright with the Chromium that the machine has."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def program() -> str:
    """Where Chromium is; tests are left out where there is none, which the summary says."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"NO BROWSER: none of {', '.join(NAMES)} was found; Debian: apt-get install chromium")
    return found


@pytest.fixture(scope="session")
def browser(program: str) -> Iterator[Any]:
    """Chromium without a window; tests are left out where Playwright is missing, which the summary says."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip('NO BROWSER: Playwright is not installed; run: pip install "detent[dev]"')
    with sync_playwright() as playwright:
        # On a busy machine its watchdog takes a slow picture for a hung one, and ends what draws: the page stays dead.
        chromium = playwright.chromium.launch(executable_path=program, args=["--disable-gpu-watchdog"])
        yield chromium
        chromium.close()
