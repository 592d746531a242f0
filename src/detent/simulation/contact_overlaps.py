"""Whether shapes lie across one another, or in one another, where contacts begin to count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from detent.contact.crossing import StandingShape, may_overlap_unseen, overlap_depth
from detent.contact_solves.settle_frame import AT_START
from detent.formulation.compiled import CompiledSystem
from detent.formulation.running import Instant
from detent.model.contact import Contact
from detent.model.contact_measure import contact_measure
from detent.model.shape import Shape

_POSE = 12
"""Numbers of a shape before its sizes: its place and its three axes."""


def overlap_words(compiled: CompiledSystem, contacts: Iterable[Contact], instant: Instant) -> str | None:
    """The first of some contacts whose shapes overlap unseen at an instant, with its depth, in words; None: none do."""
    coordinates = instant.state[: len(compiled.layout.coordinates)]
    near = AT_START * max(1.0, float(np.abs(coordinates).max(initial=0.0)))
    for contact in contacts:
        if not may_overlap_unseen(contact.first.kind, contact.second.kind):
            continue
        depth = overlap_depth(*_standing(compiled, contact, instant))
        if depth > near:
            return f"contact '{contact.name}': its shapes overlap by {depth:.6g} m; move them apart before it counts"
    return None


def _standing(compiled: CompiledSystem, contact: Contact, instant: Instant) -> Iterator[StandingShape]:
    """Both shapes of a contact in numbers."""
    quantities, shapes = compiled.equations.quantities, (contact.first, contact.second)
    count = sum(_POSE + len(shape.sizes) for shape in shapes)
    wanted = [contact_measure(quantities.system, contact, 0, "standing", number) for number in range(count)]
    program = compiled.program([quantities.convert(measure) for measure in wanted])
    numbers = iter(program(instant.time, instant.state, instant.values))
    for shape in shapes:
        yield _read(shape, [next(numbers) for _ in range(_POSE + len(shape.sizes))])


def _read(shape: Shape, numbers: list[float]) -> StandingShape:
    place, axes = np.array(numbers[:3]), np.array(numbers[3:_POSE]).reshape(3, 3)
    return StandingShape(shape, place, axes, dict(zip(shape.sizes, numbers[_POSE:], strict=True)))
