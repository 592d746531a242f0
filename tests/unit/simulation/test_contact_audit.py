"""What the audit counts as an overlap: solid shapes wherever they meet, a thin face from its front only."""

from __future__ import annotations

import numpy as np
import pytest

from detent.model.contact import ContactStatus
from detent.simulation.contact_account import PlaceValues
from detent.simulation.contact_audit import ContactAudit


def seen(gaps: list[float], domains: list[float], thin: bool, status: float = ContactStatus.OPEN) -> PlaceValues:
    """One place at some nodes."""
    count = len(gaps)
    zero, vector = np.zeros((count, 1)), np.zeros((count, 1, 3))
    column = {name: np.array(values)[:, None] for name, values in (("gap", gaps), ("domain", domains))}
    return PlaceValues(
        status=zero + float(status), **column, thin=np.full((count, 1), float(thin)), limit=zero,
        slip=zero[..., None], point=vector, normal=zero, friction=zero[..., None], force=vector,
        resistance=np.zeros((count, 0)), pressing=np.zeros((count, 0)), moment=np.zeros((count, 0, 1)),
        mass=np.ones(count),
    )  # fmt: skip


@pytest.mark.parametrize(("thin", "smallest"), [(False, -0.02), (True, 0.5)])
def test_what_comes_over_the_end_of_a_feature_overlaps_unless_it_is_behind_a_thin_face(
    thin: bool, smallest: float
) -> None:
    """In front; beyond the end of the feature; over the feature again, below it."""
    found, _ = ContactAudit(1).at_nodes(seen([0.5, -0.01, -0.02], [1.0, -1.0, 1.0], thin), np.arange(3.0))
    assert found.smallest_gap == smallest


def test_what_passes_through_a_thin_face_overlaps() -> None:
    found, _ = ContactAudit(1).at_nodes(seen([0.5, -0.01], [1.0, 1.0], thin=True), np.arange(2.0))
    assert found.smallest_gap == -0.01


def test_what_touches_a_thin_face_is_not_behind_it() -> None:
    """A crate that lies on a track from the start, 1e-17 below it: nothing was told of its gap."""
    found, _ = ContactAudit(1).at_nodes(seen([-1e-17, -2e-17], [1.0, 1.0], True, ContactStatus.SLIP), np.arange(2.0))
    assert found.smallest_gap == -2e-17
