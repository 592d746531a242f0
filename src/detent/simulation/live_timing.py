"""How well a live run keeps time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, final

from detent.results.json_values import json_object
from detent.results.timing import ModeTiming
from detent.stepping.servo import ServoCounts


@final
@dataclass(frozen=True)
class DeviceCounts:
    """How promptly devices were served by a thread of their own.

    >>> DeviceCounts(served=1000, late=2, longest=7).late
    2
    """

    served: int
    """How often all of them were asked where they are, and told what they feel."""
    late: int
    """How often that took more than three periods: longer than the check of their couplers allows for."""
    longest: int
    """The longest time that it took, in periods."""


@final
@dataclass(frozen=True)
class LiveTiming:
    """What a live run has counted in the memory of its kernel; times in milliseconds.

    ``own`` is a step's own computing time by the processor's clock of its thread, Python's part included where the loop
    had to come back for something. A deadline is missed when it passes without the step that was due before it; a step
    that takes two periods and a half misses two. ``idle_missed`` counts those of a loop that does nothing in the same
    time, where there was one; ``devices`` tells how promptly haptic devices were served, where there were some.

    >>> counts = ServoCounts(steps=60000, missed=3, worst_own=2.5e-4, worst_step=17, mean_own=8e-6, over=0)
    >>> print(LiveTiming(1e-3, counts, 2, ()).text())
    period                       1 ms
    steps                    60000
    own time, mean               0.008 ms
    own time, worst              0.25 ms   (step 17)
    steps over the period        0
    deadlines missed             3   (an idle loop beside it: 2)
    """

    period: float
    counts: ServoCounts
    idle_missed: int | None
    modes: tuple[ModeTiming, ...]
    devices: DeviceCounts | None = None

    def as_json(self) -> dict[str, Any]:
        """The same as numbers by name."""
        counts, devices = self.counts, self.devices
        told = {} if devices is None else {f"devices_{name}": value for name, value in asdict(devices).items()}
        return json_object(
            {
                "period_ms": 1e3 * self.period, "steps": counts.steps, "missed": counts.missed,
                "idle_missed": self.idle_missed, "worst_own_ms": 1e3 * counts.worst_own,
                "worst_step": counts.worst_step, "mean_own_ms": 1e3 * counts.mean_own,
                "steps_over_period": counts.over, **told, "modes": [mode.as_json() for mode in self.modes],
            }
        )  # fmt: skip

    def text(self) -> str:
        """The same as a table."""
        counts = self.counts
        beside = "" if self.idle_missed is None else f"   (an idle loop beside it: {self.idle_missed})"
        rows = [
            ("period", 1e3 * self.period, " ms"),
            ("steps", counts.steps, ""),
            ("own time, mean", 1e3 * counts.mean_own, " ms"),
            ("own time, worst", 1e3 * counts.worst_own, f" ms   (step {counts.worst_step})"),
            ("steps over the period", counts.over, ""),
            ("deadlines missed", counts.missed, beside),
        ]
        if self.devices is not None:
            rest = f"   (in {self.devices.longest} periods at most; in more than three: {self.devices.late})"
            rows.append(("devices served", self.devices.served, rest))
        lines = [f"{name:<24} {_aligned(value)}{rest}" for name, value, rest in rows]
        for mode in self.modes:
            native = "none of its own" if mode.native_ms is None else f"{mode.native_ms:.3g} ms"
            if not mode.prefetched:
                lines.append(f"mode {mode.mode}: embedded in {mode.derive_ms:.3g} ms, native code {native}")
        ahead = [mode.derive_ms for mode in self.modes if mode.prefetched]
        if ahead:
            lines.append(f"{len(ahead)} modes embedded before the first step, in {max(ahead):.3g} ms at most")
        return "\n".join(lines)


def _aligned(value: float) -> str:
    """A number with its point under those of others, as far as that goes.

    >>> _aligned(0.25), _aligned(60000)
    ('    0.25', '60000')
    """
    text = str(value) if isinstance(value, int) else f"{value:.3g}"
    return " " * max(0, 5 - len(text.partition(".")[0])) + text
