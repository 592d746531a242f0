"""``python -m benchmarks``: all benchmarks, as a table or as JSON."""

from __future__ import annotations

import argparse
import sys

from detent.errors import DetentError

from . import runner


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="detent against its peers, as ratios in one run")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    names = ", ".join(runner.NAMES)
    parser.add_argument("--only", metavar="WORD", help=f"only benchmarks whose name holds this word; there are {names}")
    parser.add_argument("--quick", action="store_true", help="few and small cases: does everything run?")
    chosen = parser.parse_args()
    try:
        rows = runner.run(chosen.only, quick=chosen.quick)
    except DetentError as error:
        sys.exit(f"benchmarks: {error}")
    print(runner.as_json(rows) if chosen.json else runner.table(rows))


if __name__ == "__main__":
    main()
