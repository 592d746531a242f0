"""Runs the benchmarks and shows what they found."""

from __future__ import annotations

import importlib
import io
import json
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from types import ModuleType
from typing import Final, Literal, final

from detent.errors import UnknownNameError

from .peers import PeerMissing

NAMES: Final = (
    "chain",
    "solve",
    "stepping",
    "derivation",
    "embedding",
    "formulations",
    "gaps",
    "live",
    "studio",
    "printing",
    "events",
    "contact",
    "interrupts",
    "startup",
    "accuracy",
)
"""The benchmarks in the order in which they run; each is the module of that name."""

WIDTH_IN_A_PIPE: Final = 132
"""Characters per line where no terminal says how many it has."""

LIMIT: Final = "limit"
"""Stands where a peer's name stands when the comparison is with a fixed number."""


@final
@dataclass(frozen=True)
class Row:
    """One comparison: our number, theirs, and their ratio beside what it should be.

    ``need`` says which way the ratio goes: "at least" is theirs / ours, how many times less of ours is enough;
    "at most" is ours / theirs, how many times more of ours is allowed. ``target`` is None where nothing was asked for,
    and ``met`` is None where nothing was asked for or nothing could be compared; ``note`` then says why.

    >>> row = Row.at_least(3.0, "2 links", ours=0.1, theirs=0.5, unit="us", peer="another engine")
    >>> row.ratio, row.met
    (5.0, True)
    """

    what: str
    unit: str
    ours: float | None = None
    theirs: float | None = None
    peer: str = ""
    peer_version: str = ""
    ratio: float | None = None
    need: Literal["at least", "at most"] = "at least"
    target: float | None = None
    met: bool | None = None
    note: str = ""
    benchmark: str = ""

    @classmethod
    def at_least(
        cls, target: float | None, what: str, *, ours: float, theirs: float, unit: str,
        peer: str, peer_version: str = "", note: str = "",
    ) -> Row:  # fmt: skip
        """A row whose ratio is theirs / ours; with ``target`` None it is only shown.

        >>> Row.at_least(None, "2 links", ours=0.1, theirs=0.5, unit="us", peer="another engine").met is None
        True
        """
        ratio = theirs / ours
        met = None if target is None else ratio >= target
        return cls(what, unit, ours, theirs, peer, peer_version, ratio, "at least", target, met, note)

    @classmethod
    def at_most(
        cls, target: float | None, what: str, *, ours: float, theirs: float, unit: str,
        peer: str, peer_version: str = "", note: str = "",
    ) -> Row:  # fmt: skip
        """A row whose ratio is ours / theirs; with ``target`` None it is only shown.

        >>> Row.at_most(1.5, "import", ours=0.6, theirs=0.3, unit="s", peer="SymPy").met
        False
        """
        ratio = ours / theirs
        met = None if target is None else ratio <= target
        return cls(what, unit, ours, theirs, peer, peer_version, ratio, "at most", target, met, note)

    @classmethod
    def within(cls, limit: float, what: str, *, ours: float, unit: str, note: str = "") -> Row:
        """A number that must not exceed a limit.

        >>> Row.within(1e-10, "energy drift", ours=1e-13, unit="1").met
        True
        """
        return cls.at_most(1.0, what, ours=ours, theirs=limit, unit=unit, peer=LIMIT, note=note)

    @classmethod
    def without_peer(cls, what: str, *, ours: float, unit: str, peer: str, missing: PeerMissing) -> Row:
        """A comparison that could not be made, and what to install for it.

        >>> Row.without_peer("2 links", ours=0.1, unit="us", peer="MuJoCo", missing=PeerMissing("mujoco")).note
        "not installed: pip install 'detent[bench]'"
        """
        return cls(what, unit, ours, peer=peer, note=f"not installed: {missing.install}")


def run(only: str | None = None, quick: bool = False) -> list[Row]:
    """The rows of all benchmarks, or of those whose name holds the word ``only``.

    ``quick`` does few and small cases: enough to see that everything runs, too little to believe the numbers.

    >>> {row.benchmark for row in run("solve", quick=True)}
    {'solve'}
    """
    names = [name for name in NAMES if only is None or only in name]
    if not names:
        raise UnknownNameError(str(only), NAMES, what="benchmark")
    rows = []
    for number, name in enumerate(names, 1):
        module = _module(name)
        with _progress(f"benchmark {number} of {len(names)}, {name}: {module.TITLE}"):
            rows += [replace(row, benchmark=name) for row in module.run(quick)]
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as text, one table per benchmark, as wide as the terminal.

    >>> print(table([Row.within(1.0, "a number", ours=0.25, unit="s")]))  # doctest: +ELLIPSIS
    <BLANKLINE>
    ...a number...0.25 s...
    """
    from rich.console import Console
    from rich.table import Table

    text = io.StringIO()
    # Without markup: an extra is written in square brackets, which would be read as a style.
    console = Console(file=text, markup=False, width=shutil.get_terminal_size((WIDTH_IN_A_PIPE, 0)).columns)
    for name, group in groupby(rows, key=lambda row: row.benchmark):
        shown = Table(title=f"{name}: {_module(name).TITLE}" if name else None, title_justify="left")
        for heading in ("what", "detent", "against", "theirs", "ratio", "target", "met", "note"):
            is_number = heading in ("detent", "theirs", "ratio")
            is_text = heading in ("what", "against", "note")
            shown.add_column(heading, justify="right" if is_number else "left", no_wrap=not is_text, overflow="fold")
        for row in group:
            shown.add_row(*_cells(row))
        console.print()
        console.print(shown)
    return text.getvalue().rstrip("\n")


def as_json(rows: Sequence[Row]) -> str:
    """The rows and the machine they were measured on, as the text of one JSON object.

    >>> sorted(json.loads(as_json([])))
    ['machine', 'python', 'rows']
    """
    found = {
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "rows": [asdict(row) for row in rows],
    }
    return json.dumps(found, indent=2, allow_nan=False)


def _module(name: str) -> ModuleType:
    """The benchmark of that name: beside this file, under whatever name this package was imported."""
    return importlib.import_module(f".{name}", __package__)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what,
        quantity(row.ours, row.unit),
        f"{row.peer} {row.peer_version}".strip(),
        quantity(row.theirs, row.unit),
        quantity(row.ratio, "1"),
        "" if row.target is None else f"{row.need} {quantity(row.target, '1')}",
        {True: "yes", False: "NO", None: ""}[row.met],
        row.note,
    )


def quantity(value: float | None, unit: str) -> str:
    """A number for a table: three digits and the unit; the unit 1 is not written, nor is a number that is missing.

    >>> quantity(0.12345, "us"), quantity(1234.5, "1"), quantity(None, "s")
    ('0.123 us', '1234', '')
    """
    if value is None:
        return ""
    number = f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"
    return number if unit == "1" else f"{number} {unit}"


@contextmanager
def _progress(line: str) -> Iterator[None]:
    """Shows a line while something runs, in a terminal only. It does not move: that would disturb what is timed."""
    shown = sys.stderr.isatty()
    if shown:
        print(line, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
