"""Friction laws: what resists slip, rolling and spinning where two shapes touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

from detent.model.expression import read_expression
from detent.model.shape import Complaint

ROUNDING: Final = 1e-14
"""Static friction is as large as the kinetic one where it is less by no more than this part of it."""


@final
@dataclass(frozen=True, eq=False)
class Coulomb:
    """Coulomb's friction: |T| <= static * N while a contact sticks, |T| = kinetic * N against the slip while it slips.

    ``static`` is the kinetic coefficient where it is not given. ``rolling`` and ``spinning`` (m) resist turning: a
    moment of at most ``rolling * N`` against rolling, ``spinning * N`` against turning about the normal, which there is
    in space only. What turns is braked with that, what does not is held within it; neither has a part in impacts.
    Coefficients are numbers or expressions: of parameters, coordinates (zones), the time, discrete states;
    ``system.slip_speed`` stands for the speed of slip. Kinetic friction may rise above the static one with that speed;
    where slip begins, at a speed of zero, it is not above it.

    >>> import detent
    >>> detent.Coulomb(0.3).static
    0.3
    >>> detent.Coulomb(0.3, static=0.4)
    Coulomb(kinetic=0.3, static=0.4)
    """

    kinetic: Any
    static: Any = None
    rolling: Any = field(default=0, kw_only=True)
    spinning: Any = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        given = {"static": self.kinetic if self.static is None else self.static}
        for name in ("kinetic", "static", "rolling", "spinning"):
            value = read_expression(f"Coulomb friction, its {name} coefficient", given.get(name, getattr(self, name)))
            object.__setattr__(self, name, value)

    @property
    def coefficients(self) -> dict[str, Any]:
        """Its coefficients by name."""
        return {"kinetic": self.kinetic, "static": self.static, "rolling": self.rolling, "spinning": self.spinning}

    def complaints(self, values: Mapping[str, float]) -> Iterator[Complaint]:
        """What is wrong with those of its coefficients whose values are known."""
        for name, value in values.items():
            if not 0 <= value < float("inf"):
                yield f"its {name} friction is {value:.6g}", "give a coefficient that is finite and not negative"
        if {"kinetic", "static"} <= set(values) and values["static"] < values["kinetic"]:
            found = f"its static friction {values['static']:.6g} is below its kinetic friction {values['kinetic']:.6g}"
            yield found, "give a static coefficient at least as large as the kinetic one"

    def complaints_at_rest(self, static: float, kinetic: float) -> Iterator[Complaint]:
        """What is wrong where slip begins: with a kinetic coefficient that depends on the speed of slip."""
        if kinetic < 0:
            yield f"its kinetic friction is {kinetic:.6g} where slip begins", "give a law that is not negative there"
        elif static * (1 + ROUNDING) < kinetic:
            found = f"its static friction {static:.6g} is below its kinetic friction {kinetic:.6g} where slip begins"
            yield found, "give a static coefficient at least as large as the kinetic one at a slip speed of zero"

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.coefficients.items() if name == "kinetic" or value != 0}
        if self.static == self.kinetic:
            del shown["static"]
        return f"Coulomb({', '.join(f'{name}={value}' for name, value in shown.items())})"
