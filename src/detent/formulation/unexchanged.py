"""Formulations in which what runs is never exchanged for something equal: its programs are the best there are."""

from __future__ import annotations

from collections.abc import Iterator

from detent.formulation.running import Exchange, Running


class UnexchangedFormulation:
    """What such a :class:`detent.formulation.running.Formulation` answers, whatever it does with constraints.

    >>> list(UnexchangedFormulation().turns(3))
    []
    """

    def knows(self, running: Running) -> bool:
        return False

    def turns(self, steps: int) -> Iterator[Exchange]:
        """The kernel never turns to anything else."""
        return iter(())

    def tells(self, before: Running, after: Running) -> str | None:
        return None

    def runs_long(self, running: Running) -> bool:
        return False

    def improve(self, running: Running) -> None:
        """There is nothing better."""
