"""What a simulation gives back: the trajectory, its events, its audit, and files of them."""

from detent.results.audit import Audit, audit_energy
from detent.results.event import Event, EventLog
from detent.results.layout import StateLayout
from detent.results.load import load
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.sample_run import sample_run
from detent.results.save import save
from detent.results.state import State
from detent.results.timing import ModeTiming, Timing
from detent.results.trajectory import Trajectory

__all__ = [
    "Audit",
    "Event",
    "EventLog",
    "ModeTiming",
    "Outcome",
    "Run",
    "State",
    "StateLayout",
    "Timing",
    "Trajectory",
    "audit_energy",
    "load",
    "save",
    "sample_run",
]
