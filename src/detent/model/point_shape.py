"""A point that touches, in the plane or in space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.model.shape import Complaint, Shape


@final
@dataclass(frozen=True, eq=False, repr=False)
class PointShape(Shape):
    """A point of a body that touches: the tip of a rod, a particle."""

    kind: ClassVar[str] = "point"
    planar: ClassVar[bool | None] = None

    @property
    def sizes(self) -> dict[str, Any]:
        return {}

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from ()
