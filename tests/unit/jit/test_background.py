"""What is done in the background keeps nobody from leaving."""

from __future__ import annotations

import subprocess
import sys

LEAVES = """
import threading, time
from detent.jit.background import in_background

def lasts():
    while threading.main_thread().is_alive():
        time.sleep(0.001)
    print("was begun")

in_background(lasts)
in_background(lambda: print("was not begun"))
"""


def test_a_script_that_ends_waits_for_what_was_begun_alone() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("was begun\n", "")
