"""How the quantities of a system are called in equations that are shown, and where they stand in a product."""

from __future__ import annotations

from typing import final

from detent.dynamics.quantities import Quantities
from detent.expr.arrange import Kind
from detent.expr.latex_name import latex_name, upright
from detent.expr.sums import Atom, Function, Name
from detent.model.system import System

REACTION = "reaction of "
"""How the names of reactions begin."""


@final
class QuantityNames:
    """Names of leaves, as text and as LaTeX; a speed that is the rate of a coordinate is written as that rate."""

    def __init__(self, system: System, quantities: Quantities) -> None:
        definitions = system.all_speeds()
        self.rate_of = {
            speed.name: coordinate.name
            for speed in quantities.speeds
            for coordinate in quantities.coordinates
            if speed.name == f"{coordinate.name}_rate" and definitions[speed] == coordinate.rate
        }
        """Of speeds that have no name but that of a rate: the coordinate."""
        self.masses = {symbol.name for body in system.bodies.values() for symbol in body.mass.free_symbols}
        self._speeds = {speed.name for speed in quantities.speeds}
        self._parameters = {symbol.name for symbol in quantities.parameters}
        self._accelerations = {f"{name}'" for name in self._speeds}

    def _rate(self, name: str) -> tuple[str, int]:
        """What a leaf is the rate of, and which."""
        if name in self._accelerations:
            base, order = self._rate(name.removesuffix("'"))
            return base, order + 1
        return (self.rate_of[name], 1) if name in self.rate_of else (name, 0)

    def text(self, name: str) -> str:
        """As plain text: ``q1'`` for a rate, ``reaction(floor)`` for a reaction."""
        base, order = self._rate(name)
        if base.startswith(REACTION):
            return f"reaction({base.removeprefix(REACTION)})"
        return (f"[{base}]" if " " in base else base) + "'" * order

    def latex(self, name: str) -> str:
        """As LaTeX, with dots for rates."""
        base, order = self._rate(name)
        if base.startswith(REACTION):
            return rf"\lambda_{{{upright(base.removeprefix(REACTION))}}}"
        return latex_name(base, order)

    def rank(self, name: str) -> int:
        """Parameters first, then what moves, then speeds, and accelerations last of all."""
        if name in self._parameters:
            return 0
        if name in self._accelerations:
            return 90
        return 20 if name in self._speeds else 10

    @property
    def kinds(self) -> list[Kind]:
        """What terms are put together by, where that is shorter."""
        return [self._accelerates, self._turns, self._moves, self._has_mass]

    def _accelerates(self, atom: Atom) -> bool:
        return isinstance(atom, Name) and atom.name in self._accelerations

    def _turns(self, atom: Atom) -> bool:
        return isinstance(atom, Function)

    def _moves(self, atom: Atom) -> bool:
        return isinstance(atom, Name) and atom.name not in self._parameters

    def _has_mass(self, atom: Atom) -> bool:
        return isinstance(atom, Name) and atom.name in self.masses
