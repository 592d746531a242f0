"""Equations that can be shown: as text, as LaTeX, set in a notebook."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod

from detent.dynamics.sheet import Sheet


class ShownEquations(ABC):
    """Whatever has a sheet of equations."""

    @property
    @abstractmethod
    def _sheet(self) -> Sheet:
        """What is shown."""

    def text(self) -> str:
        """The equations as plain text."""
        return self._sheet.text()

    def latex(self) -> str:
        """The equations as LaTeX for mathematics mode."""
        return self._sheet.latex()

    def show(self) -> None:
        """Show the equations: set as LaTeX in a notebook, as text anywhere else."""
        ipython = sys.modules.get("IPython")  # a notebook has imported it; nobody else needs it
        shell = None if ipython is None else ipython.get_ipython()
        if ipython is None or not hasattr(shell, "kernel"):
            print(self.text())
        else:
            ipython.display.display(ipython.display.Math(self.latex()))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        return self.text()
