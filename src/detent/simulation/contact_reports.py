"""What the kernel tells of contacts that were settled at an instant, in words: each as an event of its own kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settle_frame import SettlingNote
from detent.contact_solves.several_impacts_frame import MOST_IMPACTS
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.model.impact_laws import ImpactLaw
from detent.results.event import Event

CAPPED: Final = "capped"
"""Restitutions were made smaller, so that an impact does not gain energy."""
ENDED: Final = "ended"
"""Impacts that ran to and fro were ended."""
LAW: Final = "law"
"""Contacts did not follow their own laws."""
SEVERAL: Final = "several"
"""Other motions were possible."""
APART: Final = (
    SettlingNote.CAPPED | SettlingNote.ENDED | SettlingNote.SEVERAL | SettlingNote.BY_POISSON | SettlingNote.LOCKED
)
"""What is told by an event of its own, beside that of what happened."""


@final
class ContactReport(NamedTuple):
    """What is told of an instant; see :data:`detent.contact_solves.settle_frame.TELLING`."""

    told: SettlingNote
    place: int
    coefficient: float
    angle: float
    factor: float
    remaining: float

    @classmethod
    def read(cls, numbers: Sequence[float]) -> ContactReport:
        """The same, from the numbers that the kernel leaves."""
        told, place, *others = numbers
        return cls(SettlingNote(int(told)), int(place), *others)

    @property
    def seized(self) -> bool:
        """Whether there was an impact without collision."""
        return SettlingNote.SEIZED in self.told

    @property
    def struck(self) -> bool:
        """Whether contacts struck where something else happened."""
        return SettlingNote.STRUCK in self.told


@final
class ContactReporter:
    """Puts what is told of the contacts of an automaton into words."""

    def __init__(self, automaton: StatusAutomaton) -> None:
        self._automaton = automaton

    def events(
        self, telling: ContactReport, time: float, normals: NDArray[np.float64], source: Mode | None, target: Mode
    ) -> list[Event]:
        """What is told besides what happened, the modes before and after it given; before the start there is none."""
        struck = [place for place, impulse in zip(self._automaton.places, normals, strict=True) if impulse != 0.0]
        names, laws = ", ".join(place.name for place in struck), ", ".join(_laws(struck))
        found: list[tuple[str, str, dict[str, float | str]]] = []
        if SettlingNote.CAPPED in telling.told:
            text = f"{names}: by their restitutions ({laws}) energy would have grown; one factor made all smaller"
            found.append((CAPPED, text, {"factor": telling.factor}))
        if SettlingNote.ENDED in telling.told:
            text = f"{names}: after {MOST_IMPACTS} impacts at one instant ({laws}) a plastic one of all ended them"
            found.append((ENDED, text, {}))
        if SettlingNote.BY_POISSON in telling.told:
            text = (
                f"{names}: they strike at once, and a law of theirs ({laws}) is about one contact alone, or could not "
                "be followed by all: Poisson's hypothesis took its place"
            )
            found.append((LAW, text, {}))
        if SettlingNote.LOCKED in telling.told:
            text = f"{names}: friction holds what strikes, so that nothing is given back, whatever the law ({laws})"
            found.append((LAW, text, {}))
        if SettlingNote.SEVERAL in telling.told:
            found.append((SEVERAL, self._kept(source, target, telling.told), {}))
        before = target.name if source is None else source.name
        return [Event(time, kind, text, before, target.name, details) for kind, text, details in found]

    def _kept(self, source: Mode | None, target: Mode, told: SettlingNote) -> str:
        """Which of several motions was kept, and why."""
        kept = self._automaton.words(target.key) or "no contact"
        pairs = [] if source is None else zip(source.statuses, target.statuses, strict=True)
        held = [before == after for before, after in pairs if before > 0.0]
        if SettlingNote.UNSTEADY in told:
            why = "another would need a force that draws in what it should push apart (Painleve's paradox)"
        elif not held:
            why = "nothing held before: it is the first that was found"
        elif all(held):
            why = "what held before holds on"
        else:
            why = "what held before does not hold any more: it is the first that was found"
        return f"more than one motion is possible; kept: {kept}; {why}"


def _laws(places: Sequence[Place]) -> list[str]:
    """The impact laws of some places, each once."""
    return list(dict.fromkeys(_law(place.contact.impact) for place in places))


def _law(law: ImpactLaw) -> str:
    """An impact law as one writes it down."""
    number = getattr(law.restitution, "is_number", True)
    return f"{type(law).__name__}({float(law.restitution):g})" if number else repr(law)
