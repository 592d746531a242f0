"""What is done in the background keeps nobody from leaving."""

from __future__ import annotations

import subprocess
import sys

import pytest

from detent.jit.background import in_background

LEAVES = """
import threading
from detent.jit.background import LEAVING, in_background

begun = threading.Event()

def lasts():
    begun.set()
    LEAVING.wait()
    print("was begun")

in_background(lasts)
in_background(lambda: print("was not begun"))
begun.wait()
"""


def test_a_script_that_ends_waits_for_what_was_begun_alone() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("was begun\n", "")


def test_what_fails_tells_who_asks() -> None:
    def fails() -> None:
        raise ValueError("no such code")

    with pytest.raises(ValueError, match="no such code"):
        in_background(fails).result(timeout=60)
    assert in_background(lambda: None).result(timeout=60) is None
