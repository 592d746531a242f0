"""The biped that its constraints leave no freedom, against positions to twelve digits."""

from __future__ import annotations

import pytest

import detent


def test_the_biped_is_where_its_constraints_put_it() -> None:
    run = detent.example("seven-link-biped").simulate(until=1)
    found = [run.final[name] for name in ("x", "y", "theta1", "theta4")]
    assert found == pytest.approx((0.285581822287, 1.134173847785, 2.213828188091, 1.366305159773), abs=5e-9)
    assert run.audit.position_residual < 1e-12
