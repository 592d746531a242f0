"""Alters files, one for each seed, and tells what became of each: one line, so that a crash shows by its absence."""

from __future__ import annotations

import random
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

from detent.errors import DetentError
from tests.altered.subjects import Checkpoints, Objects, Results, Wrong

SUBJECTS = {"checkpoint": Checkpoints, "result": Results, "object": Objects}


def main(kind: str, first: int, last: int) -> None:
    """Say for each seed how it ended: ``went on``, ``refused``, or ``WRONG`` and why."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        subject = SUBJECTS[kind](Path(folder))
        print("ready", flush=True)
        for seed in range(first, last):
            try:
                ended = subject(random.Random(f"{kind} {seed}"))
            except DetentError as error:
                ended = "refused" if str(error).encode() else "WRONG: an error without words"
            except Wrong as error:
                ended = f"WRONG: {error}"
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                ended = (
                    f"WRONG: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {ascii(error)[:200]}"
                )
            print(seed, ended, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
