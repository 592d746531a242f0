"""What is asked of a run, as nodes of a graph: a name, a text, a SymPy expression or a vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from detent.dynamics.measures import MeasureReader
from detent.errors import ExpressionError, UnknownNameError, listed
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph, Node
from detent.expr.text import node_from_text
from detent.formulation.compiled import CompiledSystem
from detent.model.contact_measure import ContactMeasure
from detent.model.expression import read_expression
from detent.model.measure import Measure
from detent.model.point import Point
from detent.model.quantity import Acceleration, ContactForce, Quantity, Rate, Reaction, Time
from detent.model.system import System
from detent.model.vector import Vector
from detent.results.run import Run

WITHOUT_MODEL: Final = (
    "the run came from a file or another process, which does not hold the model; give it with "
    "run.with_model(system), or ask for what the run keeps: its names, parameters and arithmetic of them"
)
_VECTORS: Final = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")


@final
class AskedExpressions:
    """Reads what is asked of one run. Leaves have the names by which the run gives them, the time is ``t``."""

    def __init__(self, run: Run, compiled: CompiledSystem | None) -> None:
        self._run, self._compiled = run, compiled
        self.graph = Graph() if compiled is None else compiled.equations.graph
        self._convert = FromSympy(self.graph, {})
        self._convert.resolve = self._resolved

    def nodes(self, asked: Any) -> list[Node]:
        """One node; three for a vector, along the ground's axes; for a tuple one for each of its components."""
        if isinstance(asked, str):
            return [self._from_text(asked)]
        if isinstance(asked, tuple):  # components, as Vector.express and contacts in space give them
            return [self._convert(read_expression("what is asked of a run", component)) for component in asked]
        if isinstance(asked, Vector):
            system = self._system(f"the vector {asked!r}")
            return [self._convert(component) for component in asked.express(system.ground)]
        return [self._convert(read_expression("what is asked of a run", asked))]

    def _system(self, what: str) -> System:
        if self._compiled is None:
            raise ExpressionError(f"{what} needs the model: {WITHOUT_MODEL}")
        return self._compiled.equations.system

    # -- names and text ----------------------------------------------------------------------------

    def _from_text(self, text: str) -> Node:
        whole = self._named(text.strip())
        if whole is not None:
            return whole
        return node_from_text(text, self.graph, self._known)

    def _known(self, name: str) -> Node:
        """The node of a name in a text."""
        found = self._named(name)
        if found is None and "." in name:
            found = self._part(name)
        if found is None:
            raise UnknownNameError(name, (*self._run.names, *self._run.parameters), what="quantity")
        return found

    def _named(self, name: str) -> Node | None:
        """What a run gives by a name, or an input that is an expression."""
        if name in ("t", "time"):
            return self.graph.leaf("t")
        if name in self._run.parameters or name in self._run.names:
            return self.graph.leaf(name)
        if self._compiled is not None:
            rules = {symbol.name: symbol for symbol in self._compiled.equations.system.input_rules}
            if name in rules:
                return self._convert(rules[name])
        return None

    def _part(self, path: str) -> Node | None:
        """A part of a point, body or frame: ``tip.x``, ``tip.velocity.y``, ``arm.angular_velocity.z``."""
        owner, _, last = path.rpartition(".")
        if last not in ("x", "y", "z"):
            return None
        system = self._system(f"'{path}'")
        name, _, word = owner.rpartition(".")
        if word not in _VECTORS:
            name, word = owner, "position"
        turns = word.startswith("angular")
        known: Mapping[str, Any] = system.frames if turns else system.points
        thing = known.get(name)
        if thing is None and name in system.bodies:
            thing = system.bodies[name].frame if turns else system.bodies[name].center
        if thing is None:
            what = "frame or body" if turns else "point or body"
            raise UnknownNameError(name, dict.fromkeys([*known, *system.bodies]), what=what)
        axis = getattr(system.ground, last)
        if word == "position" and isinstance(thing, Point):
            return self._convert(thing.along(axis))
        return self._convert(getattr(thing, word)().terms[system.ground]["xyz".index(last)])

    # -- symbols -----------------------------------------------------------------------------------

    def _resolved(self, symbol: Any) -> Node | None:
        if self._compiled is None:
            return self._by_name(symbol)
        equations = self._compiled.equations
        if getattr(symbol, "owner", None) == equations.system.number:
            if isinstance(symbol, (Reaction, ContactForce, Acceleration)):
                return self._kept(symbol)
            if isinstance(symbol, Measure) and symbol.level in ("acceleration", "spin rate"):
                rates = [self.graph.leaf(f"{speed.name}'") for speed in equations.quantities.speeds]
                return MeasureReader(equations.kinematics).acceleration(symbol, rates)
        _ = equations.kinematics  # from here on measures can be read
        return equations.quantities.convert(symbol)

    def _kept(self, symbol: Quantity) -> Node:
        """The leaf of something that a run keeps at its nodes."""
        if isinstance(symbol, Acceleration):
            self._check(symbol.name.removesuffix("'"), self._run.layout.speeds, "speed")
        elif isinstance(symbol, Reaction):
            self._check(symbol.name.removeprefix("reaction of "), self._rows(), "row of a constraint with a reaction")
        return self.graph.leaf(symbol.name)

    def _check(self, name: str, known: Any, what: str) -> None:
        if name not in known:
            raise UnknownNameError(name, known, what=what)

    def _rows(self) -> list[str]:
        """Rows whose reactions may be asked for: those that were active in the run, and those that are declared."""
        declared: list[str] = []
        if self._compiled is not None:
            constraints = self._compiled.equations.system.constraints.values()
            modes = getattr(self._run.model, "modes", {})
            own = [constraint for mode in list(modes.values()) for constraint in mode.constraints]
            declared = [row.name for constraint in (*constraints, *own) for row in constraint.rows]
        return list(dict.fromkeys([*self._run.reactions, *declared]))

    def _by_name(self, symbol: Any) -> Node:
        """Without the model, what the run keeps under the name of a symbol."""
        name = str(symbol)
        if isinstance(symbol, Time):
            return self.graph.leaf("t")
        if isinstance(symbol, (Rate, Acceleration)) and name.removesuffix("'") in self._run.layout.names:
            return self.graph.leaf(name)
        if isinstance(symbol, (Measure, ContactMeasure)) and name not in self._run.names:
            raise ExpressionError(f"'{name}' needs the model: {WITHOUT_MODEL}")
        if isinstance(symbol, Reaction):
            return self._kept(symbol)
        found = self._named(name)
        if found is None and not isinstance(symbol, ContactForce):
            raise ExpressionError(
                f"the run '{self._run.name}' does not keep '{name}'; it has "
                f"{listed((*self._run.names, *self._run.parameters), 20)}"
            )
        return self.graph.leaf(name) if found is None else found
