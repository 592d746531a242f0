"""Every exception of detent, in one place.

An error says what was found, what was expected and what to do next. All of them derive from
:class:`DetentError`, so one ``except detent.DetentError`` catches whatever detent has to say and
nothing else. What is no error, but worth knowing, is a :class:`DetentWarning`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detent.results import Run


class DetentError(Exception):
    """Anything detent has to complain about.

    >>> issubclass(ModelError, DetentError)
    True
    """


class DetentWarning(UserWarning):
    """A run that went on, but about which there is something to know; the text is also in ``run.remarks``.

    >>> issubclass(DetentWarning, UserWarning)
    True
    """


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names for a message, cut to a readable number.

    >>> listed(["q1", "q2"])
    'q1, q2'
    >>> listed([])
    '(none)'
    """
    shown = [str(name) for name in names]
    if not shown:
        return "(none)"
    if len(shown) <= limit:
        return ", ".join(shown)
    return ", ".join(shown[:limit]) + f", ... ({len(shown) - limit} more)"


class UnknownNameError(DetentError):
    """A name that stands for nothing here; the text lists the names that do.

    >>> print(UnknownNameError("angel", ["angle", "x"], what="coordinate"))
    there is no coordinate named 'angel'; did you mean 'angle'? Names that exist: angle, x.
    """

    def __init__(self, name: str, valid_names: Iterable[str], what: str = "quantity") -> None:
        self.name = name
        self.valid_names = tuple(valid_names)
        close = difflib.get_close_matches(str(name), self.valid_names, n=1, cutoff=0.5)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        super().__init__(f"there is no {what} named '{name}'{hint} Names that exist: {listed(self.valid_names, 40)}.")


@dataclass(frozen=True)
class Fault:
    """One mistake in a model: what was found, what was expected and what to do.

    >>> print(Fault("body 'arm'", "its mass is -1", "give it a mass greater than zero"))
    body 'arm': its mass is -1; give it a mass greater than zero.
    """

    where: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.found}; {self.remedy}."


class ModelError(DetentError):
    """Mistakes in a model, all of them at once.

    >>> print(ModelError([Fault("body 'arm'", "its mass is -1", "give it a mass greater than zero")]))
    1 mistake in the model:
      1. body 'arm': its mass is -1; give it a mass greater than zero.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        head = f"{count} mistake{'s' if count != 1 else ''} in the model:"
        super().__init__("\n".join([head, *(f"  {n}. {fault}" for n, fault in enumerate(self.faults, 1))]))


class ExpressionError(DetentError):
    """An expression detent cannot compile, or a text it will not read.

    >>> issubclass(ExpressionError, DetentError)
    True
    """


class ValueProblem(DetentError):
    """A value given to a run is missing, not finite or out of range.

    >>> issubclass(ValueProblem, DetentError)
    True
    """


class OutsideRunError(DetentError):
    """A time at which a run has no state.

    >>> print(OutsideRunError(11.0, 0.0, 10.0))
    the run has no state at t = 11.0; it covers 0.0 to 10.0. Ask for a time inside, or simulate further.
    """

    def __init__(self, time: float, first: float, last: float) -> None:
        super().__init__(
            f"the run has no state at t = {time!r}; it covers {first!r} to {last!r}. "
            "Ask for a time inside, or simulate further."
        )


class ResultFileError(DetentError):
    """A result file that cannot be written or read.

    >>> issubclass(ResultFileError, DetentError)
    True
    """


class MissingExtraError(DetentError):
    """A part of detent that needs an optional package.

    >>> print(MissingExtraError("xarray", "files", "save a run"))
    xarray is needed to save a run and is not installed; run: pip install "detent[files]"
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f'{package} is needed to {purpose} and is not installed; run: pip install "detent[{extra}]"')


class SimulationError(DetentError):
    """A run that could not go on. ``run`` holds what it has up to that instant.

    >>> issubclass(SimulationError, DetentError)
    True
    """

    def __init__(self, message: str, run: Run | Callable[[], Run] | None = None) -> None:
        self._run = run
        super().__init__(message)

    @property
    def run(self) -> Run | None:
        """What there is of the run; put together when it is first asked for, as a long one takes a while."""
        if callable(self._run):
            self._run = self._run()
        return self._run

    def __reduce__(self) -> tuple[type[SimulationError], tuple[str, Run | None]]:
        """With the run, so that another process can raise it here."""
        return SimulationError, (str(self), self.run)
