"""Several contacts at one instant, in runs: a cradle, a symmetric break, the order in which contacts strike."""

from __future__ import annotations

import pytest

import detent


def cradle(balls: int, restitution: float = 1.0) -> detent.System:
    """Balls in a row that touch, the first one flying in with 1 m/s."""
    system = detent.System("cradle")
    shapes = []
    for number in range(balls):
        x = system.coordinates(f"x{number}")
        place = system.origin.offset(f"ball {number}", x * system.ground.x)
        body = system.body(f"ball {number}", place, system.ground.rotated(f"frame {number}", 0), 1, 1)
        shapes.append(body.circle(0.5))
        system.start(**{f"x{number}": number - (0.5 if number == 0 else 0.0)})
    system.start(x0_rate=1.0)
    for number in range(balls - 1):
        law = detent.Poisson(restitution)
        system.contact(f"{number}|{number + 1}", shapes[number], shapes[number + 1], impact=law)
    return system


def speeds(run: detent.Run, balls: int) -> list[float]:
    return [float(getattr(run, f"x{number}_rate")[-1]) for number in range(balls)]


@pytest.mark.parametrize("balls", [2, 3, 5])
def test_a_strike_runs_through_a_cradle_in_waves(balls: int) -> None:
    run = detent.simulate(cradle(balls), until=1)
    assert speeds(run, balls) == pytest.approx([*[0.0] * (balls - 1), 1.0], abs=1e-12)


def test_all_at_once_is_another_law() -> None:
    run = detent.simulate(cradle(5), until=1, impacts="simultaneous")
    assert speeds(run, 5) == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-12)


def test_a_plastic_row_moves_on_together() -> None:
    run = detent.simulate(cradle(4, restitution=0.0), until=1)
    assert speeds(run, 4) == pytest.approx([0.25] * 4, abs=1e-12)


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(detent.DetentError, match="impacts is 'all'; use one of waves, simultaneous, sequential"):
        detent.simulate(cradle(2), until=1, impacts="all")
