"""What time it is in a run that is played."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, final

from detent.errors import ValueProblem

SPEEDS: Final = ("0.01", "0.05", "0.1", "0.25", "0.5", "1", "2", "5", "10")


@final
@dataclass
class Playback:
    """A time (s) between the first and the last, that passes while it plays.

    >>> playback = Playback(0.0, 2.0)
    >>> playback.play()
    >>> playback.pass_by(0.5)
    >>> playback.speed = 4.0
    >>> playback.pass_by(1.0)
    >>> playback.time, playback.is_playing
    (2.0, False)
    """

    first: float
    last: float
    time: float = 0.0
    speed: float = 1.0
    is_playing: bool = False
    repeats: bool = False

    def __post_init__(self) -> None:
        self.time = self.first

    def play(self) -> None:
        """Let the time pass; from the beginning, where it stands at the end."""
        if self.time >= self.last:
            self.time = self.first
        self.is_playing = self.last > self.first

    def pause(self) -> None:
        """Stand still."""
        self.is_playing = False

    def go_to(self, time: float) -> None:
        """Stand at a time; outside of the run, at its nearer end.

        >>> playback = Playback(0.0, 2.0)
        >>> playback.go_to(5.0)
        >>> playback.time
        2.0
        """
        if not math.isfinite(time):
            raise ValueProblem(f"the time is {time!r}; give a number")
        self.time = min(max(time, self.first), self.last)

    def pass_by(self, seconds: float) -> None:
        """So many seconds have gone by where the viewer sits."""
        if not self.is_playing:
            return
        reached = self.time + self.speed * seconds
        if reached >= self.last and self.repeats:
            reached = self.first + (reached - self.last) % (self.last - self.first)
        self.is_playing = reached < self.last
        self.time = min(reached, self.last)
