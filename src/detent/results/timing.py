"""Where the time of a simulation went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from detent.results.json_values import json_object


@final
@dataclass(frozen=True)
class ModeTiming:
    """How long one mode took to derive, to its first step, and to its native code, in milliseconds.

    ``ready_ms`` counts from the event that first needs the mode to the first step taken in it; where the mode stood
    ready and the stepper went on in it by itself, it is the time of all steps it took in one go; ``native_ms`` is
    None when the run ended before native code was there. ``prefetched`` tells whether everything had been derived in
    the background before the mode was needed.

    >>> ModeTiming("free", 2.0, 2.5, None).as_json()
    {'mode': 'free', 'derive_ms': 2.0, 'ready_ms': 2.5, 'native_ms': None, 'prefetched': False}
    """

    mode: str
    derive_ms: float
    ready_ms: float
    native_ms: float | None
    prefetched: bool = False

    def as_json(self) -> dict[str, Any]:
        """The timing of this mode as ``detent run --json`` prints it."""
        times = {"derive_ms": self.derive_ms, "ready_ms": self.ready_ms, "native_ms": self.native_ms}
        return json_object({"mode": self.mode} | times | {"prefetched": self.prefetched})


@final
@dataclass(frozen=True)
class Timing:
    """The cost of a run: wall time in seconds, steps accepted and rejected, evaluations of the right-hand side.

    ``compile_s`` is how long the run waited for kernels to be compiled, which happens once; it is not part of
    ``wall_s``.

    >>> Timing(0.01, 40, 2, 250, (), compile_s=12.5).as_json()
    {'wall_s': 0.01, 'compile_s': 12.5, 'steps': 40, 'rhs_evaluations': 250, 'modes': []}
    """

    wall_s: float
    steps: int
    rejected_steps: int
    rhs_evaluations: int
    modes: tuple[ModeTiming, ...]
    compile_s: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The timing as ``detent run --json`` prints it."""
        times = {"wall_s": self.wall_s, "compile_s": self.compile_s}
        counts = {"steps": self.steps, "rhs_evaluations": self.rhs_evaluations}
        return json_object(times | counts | {"modes": [mode.as_json() for mode in self.modes]})
