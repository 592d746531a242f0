"""What every test shares: no window, one terminal width, repeatable examples, a place to write files."""

from __future__ import annotations

import functools
import gc
import linecache
import os
import signal
from typing import Any

import pytest
from hypothesis import settings

# Set before anything imports matplotlib or rich, and inherited by every process that a test starts.
os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "120"
os.environ["NO_COLOR"] = "1"
for forces_colour in ("FORCE_COLOR", "PY_COLORS"):
    os.environ.pop(forces_colour, None)

# What a shell starts in the background ignores Ctrl-C, and so would every process of the tests that send one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is collected is there to the end: looking for garbage in it, again and again while it grows, takes a quarter of
# the time of collecting.
gc.disable()

_checkcache = linecache.checkcache


@functools.wraps(_checkcache)
def _checkcache_undisturbed(filename: str | None = None) -> None:
    """Garbage is not looked for meanwhile: what SymPy's lambdify made is taken out of the cache as it is found.

    Every docstring begins by this walk through the cache, which does not survive that an entry goes.
    """
    looked_for = gc.isenabled()
    gc.disable()
    try:
        _checkcache(filename)
    finally:
        if looked_for:
            gc.enable()


linecache.checkcache = _checkcache_undisturbed

# No deadline, because a busy machine is not a fault. The same examples each time, because a test that
# fails must fail again when somebody looks.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


class DocstringWorkspace:
    """Lets a docstring example write files without leaving them in the repository."""

    @pytest.fixture(autouse=True)
    def docstring_workspace(self, request: pytest.FixtureRequest) -> None:
        if isinstance(request.node, pytest.DoctestItem):
            directory = request.getfixturevalue("tmp_path")
            request.getfixturevalue("monkeypatch").chdir(directory)


def pytest_collection_finish() -> None:
    """Let garbage be looked for from here on, among what the tests make; live runs begin by it, and look less often."""
    from detent.simulation import undisturbed

    undisturbed.LOOK_EVERY = 10
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly that no browser was there: a page that nobody opened is not known to work."""
    reasons = {str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr}
    for reason in sorted(reason for reason in reasons if "NO BROWSER" in reason or "LEFT OUT" in reason):
        terminalreporter.write_line(reason.removeprefix("Skipped: "), red=True, bold=True)


def pytest_configure(config: pytest.Config) -> None:
    # A fixture of this file would reach only the tests below it; the docstrings are under src.
    config.pluginmanager.register(DocstringWorkspace())
