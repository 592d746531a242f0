"""detent: mechanical systems whose constraints change while they move.

Write the mechanics once, in SymPy; detent derives Kane's equations, compiles them and runs them::

    import detent

    system = detent.System("pendulum")
    ...
    run = detent.simulate(system, until=10)

Every name below is loaded when it is first used, so that ``import detent`` costs next to nothing and
the command line answers at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detent.comparison.compare import compare
    from detent.comparison.comparison import Comparison
    from detent.dynamics.embedded_equations import EmbeddedEquations
    from detent.dynamics.equations import Equations
    from detent.errors import (
        DetentError,
        DetentWarning,
        ExpressionError,
        MissingExtraError,
        ModelError,
        OutsideRunError,
        ResultFileError,
        SimulationError,
        UnknownNameError,
        ValueProblem,
    )
    from detent.expr.tabulated import tabulated
    from detent.formulation.complementarity import Complementarity
    from detent.formulation.corrected import Corrected
    from detent.formulation.dae import Dae
    from detent.formulation.embedded import Embedded
    from detent.formulation.impulse import Impulse
    from detent.formulation.multipliers import Multipliers
    from detent.formulation.penalty import Penalty
    from detent.formulation.projection import Projection
    from detent.formulation.sliding_manifold import SlidingManifold
    from detent.gallery.example import Example, example, examples
    from detent.hybrid.assignment import swapped
    from detent.hybrid.automaton import Automaton
    from detent.hybrid.friction_impact import FrictionImpact
    from detent.hybrid.impact import Impact
    from detent.hybrid.mode import Mode
    from detent.hybrid.moment import Moment
    from detent.hybrid.transition import Transition
    from detent.model.body import Body
    from detent.model.constraint import (
        Constraint,
        aligned,
        holonomic,
        joined,
        motion,
        prescribed,
        rolling,
        turning_together,
    )
    from detent.model.contact import Contact, ContactStatus
    from detent.model.coupler import Coupler, couple, least_damping
    from detent.model.frame import Frame
    from detent.model.friction_laws import Coulomb
    from detent.model.impact_laws import ImpactLaw, Newton, Plastic, Poisson, Smith, Stronge
    from detent.model.input import Held, Sampled
    from detent.model.joint import Joint
    from detent.model.point import Point
    from detent.model.row import Sliding
    from detent.model.shape import Shape
    from detent.model.system import System
    from detent.model.track import Turn
    from detent.model.vector import Vector
    from detent.results.contacts import ContactCourse
    from detent.results.load import load
    from detent.results.run import Run
    from detent.simulation.checkpoint import resume
    from detent.simulation.equations import equations
    from detent.simulation.evaluate import evaluate
    from detent.simulation.hand import Hand, SimulatedHand
    from detent.simulation.live import Live
    from detent.simulation.live_timing import LiveTiming
    from detent.simulation.options import Options
    from detent.simulation.recording import Recording
    from detent.simulation.simulate import simulate
    from detent.simulation.simulation import Simulation
    from detent.stepping.servo_clock import SimulatedClock
    from detent.view.animate import animate
    from detent.view.automaton_graph import draw_automaton
    from detent.view.plot import plot
    from detent.view.stroboscope import stroboscope

__version__ = "0.1.0"

_HOMES = {
    "Automaton": "detent.hybrid.automaton",
    "Body": "detent.model.body",
    "Comparison": "detent.comparison.comparison",
    "Complementarity": "detent.formulation.complementarity",
    "Constraint": "detent.model.constraint",
    "Contact": "detent.model.contact",
    "ContactCourse": "detent.results.contacts",
    "ContactStatus": "detent.model.contact",
    "Corrected": "detent.formulation.corrected",
    "Coulomb": "detent.model.friction_laws",
    "Coupler": "detent.model.coupler",
    "Dae": "detent.formulation.dae",
    "DetentError": "detent.errors",
    "DetentWarning": "detent.errors",
    "Embedded": "detent.formulation.embedded",
    "EmbeddedEquations": "detent.dynamics.embedded_equations",
    "Equations": "detent.dynamics.equations",
    "Example": "detent.gallery.example",
    "ExpressionError": "detent.errors",
    "Frame": "detent.model.frame",
    "Hand": "detent.simulation.hand",
    "Held": "detent.model.input",
    "FrictionImpact": "detent.hybrid.friction_impact",
    "Impact": "detent.hybrid.impact",
    "ImpactLaw": "detent.model.impact_laws",
    "Impulse": "detent.formulation.impulse",
    "Joint": "detent.model.joint",
    "Live": "detent.simulation.live",
    "LiveTiming": "detent.simulation.live_timing",
    "MissingExtraError": "detent.errors",
    "Mode": "detent.hybrid.mode",
    "ModelError": "detent.errors",
    "Moment": "detent.hybrid.moment",
    "Multipliers": "detent.formulation.multipliers",
    "Newton": "detent.model.impact_laws",
    "Options": "detent.simulation.options",
    "OutsideRunError": "detent.errors",
    "Penalty": "detent.formulation.penalty",
    "Plastic": "detent.model.impact_laws",
    "Point": "detent.model.point",
    "Poisson": "detent.model.impact_laws",
    "Projection": "detent.formulation.projection",
    "Recording": "detent.simulation.recording",
    "ResultFileError": "detent.errors",
    "Run": "detent.results.run",
    "Sampled": "detent.model.input",
    "Shape": "detent.model.shape",
    "SimulatedClock": "detent.stepping.servo_clock",
    "SimulatedHand": "detent.simulation.hand",
    "Simulation": "detent.simulation.simulation",
    "SimulationError": "detent.errors",
    "Sliding": "detent.model.row",
    "SlidingManifold": "detent.formulation.sliding_manifold",
    "Smith": "detent.model.impact_laws",
    "Stronge": "detent.model.impact_laws",
    "System": "detent.model.system",
    "Transition": "detent.hybrid.transition",
    "Turn": "detent.model.track",
    "UnknownNameError": "detent.errors",
    "ValueProblem": "detent.errors",
    "Vector": "detent.model.vector",
    "aligned": "detent.model.constraint",
    "animate": "detent.view.animate",
    "compare": "detent.comparison.compare",
    "couple": "detent.model.coupler",
    "draw_automaton": "detent.view.automaton_graph",
    "equations": "detent.simulation.equations",
    "evaluate": "detent.simulation.evaluate",
    "example": "detent.gallery.example",
    "examples": "detent.gallery.example",
    "holonomic": "detent.model.constraint",
    "joined": "detent.model.constraint",
    "least_damping": "detent.model.coupler",
    "load": "detent.results.load",
    "motion": "detent.model.constraint",
    "plot": "detent.view.plot",
    "prescribed": "detent.model.constraint",
    "resume": "detent.simulation.checkpoint",
    "rolling": "detent.model.constraint",
    "simulate": "detent.simulation.simulate",
    "stroboscope": "detent.view.stroboscope",
    "swapped": "detent.hybrid.assignment",
    "tabulated": "detent.expr.tabulated",
    "turning_together": "detent.model.constraint",
}

__all__ = [
    "Automaton", "Body", "Comparison", "Complementarity", "Constraint", "Contact", "ContactCourse", "ContactStatus",
    "Corrected", "Coulomb", "Coupler", "Dae", "DetentError", "DetentWarning", "Embedded", "EmbeddedEquations",
    "Equations", "Example", "ExpressionError", "Frame", "FrictionImpact", "Hand", "Held", "Impact", "ImpactLaw",
    "Impulse", "Joint",
    "Live", "LiveTiming", "MissingExtraError", "Mode", "ModelError", "Moment", "Multipliers", "Newton", "Options",
    "OutsideRunError", "Penalty", "Plastic", "Point", "Poisson", "Projection", "Recording", "ResultFileError", "Run",
    "Sampled", "Shape", "SimulatedClock", "SimulatedHand", "Simulation", "SimulationError", "Sliding",
    "SlidingManifold", "Smith", "Stronge", "System", "Transition", "Turn", "UnknownNameError", "ValueProblem", "Vector",
    "__version__", "aligned", "animate", "compare", "couple", "draw_automaton", "equations", "evaluate", "example",
    "examples", "holonomic", "joined", "least_damping", "load", "motion", "plot", "prescribed", "resume", "rolling",
    "simulate", "stroboscope", "swapped", "tabulated", "turning_together",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'detent' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
