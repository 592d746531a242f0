"""A rim that tips back comes to lie flat, when the closed form says; there the run ends, with the reason.

It turns about a point of its edge that sticks. With a the lean, R the radius, H half its length and J the inertia about
that point, J a'' = -m g (R cos a - H sin a), so that the time from a lean to none is a quadrature. Where it lies flat
all of its edge touches, and no point of it is the lowest. While it flies it may be parallel to the plane as it likes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import detent

G = 9.81
SHAPES = ("rim",)
LEAN = 1e-7
"""Below it an edge lies flat."""


@pytest.fixture(scope="module", params=SHAPES)
def system(request: pytest.FixtureRequest) -> detent.System:
    """The lower rim of a cylinder of radius R and half length H: derived once for all that is thrown."""
    return thrown(request.param)


def thrown(kind: str) -> detent.System:
    system = detent.System(kind)
    m, across, along, R, H = system.parameters(m=1, across=0.1, along=0.1, R=0.2, H=0.3)
    joint = system.free("can", system.origin, system.ground)
    can = system.body("can", joint.point, joint.frame, m, (across, across, along))
    system.gravity(-G * system.ground.z)
    shape = can.cylinder(R, 2 * H) if kind == "cylinder" else can.rim(R, at=(0, 0, -H))
    system.contact("can|floor", shape, system.ground.plane(), friction=detent.Coulomb(50))
    return system


def leaning(lean: float, R: float, H: float, height: float = 0.0) -> dict[str, float]:
    """Turned about x by ``lean``, with its lowest point ``height`` above the floor."""
    up = R * math.sin(lean) + H * math.cos(lean)
    return {"can_z": up + height, "can_qw": math.cos(lean / 2), "can_qx": math.sin(lean / 2)}


@dataclass(frozen=True)
class Can:
    """A cylinder that leans on its edge, and turns back by ``turning`` (rad/s)."""

    m: float
    R: float
    H: float
    across: float
    along: float
    lean: float
    turning: float

    @property
    def about(self) -> float:
        """The inertia about the point of its edge."""
        return self.across + self.m * (self.R**2 + self.H**2)

    def up(self, lean: float) -> float:
        """How high its centre is."""
        return self.R * math.sin(lean) + self.H * math.cos(lean)

    def out(self, lean: float) -> float:
        """How far its centre is from above the point of its edge."""
        return self.R * math.cos(lean) - self.H * math.sin(lean)

    def square(self, lean: float) -> float:
        """The square of how fast it turns, by its energy: up(lean at first) - up(lean), without a difference."""
        lower = 2 * math.sin((self.lean - lean) / 2) * self.out((self.lean + lean) / 2)
        return self.turning**2 + 2 * self.m * G * lower / self.about

    def normal(self, lean: float) -> float:
        """The force of the floor: m (g + z'') with z = up."""
        turns_faster = -self.m * G * self.out(lean) / self.about
        return self.m * (G + turns_faster * self.out(lean) - self.square(lean) * self.up(lean))

    @property
    def stays(self) -> bool:
        """Whether the floor presses on its edge all the time."""
        return all(self.normal(float(lean)) > 0.0 for lean in np.linspace(0, self.lean, 200))

    @property
    def falls(self) -> float:
        """The time until it lies flat; over the root of what it has turned, for it may start from rest."""
        ends = 0.0, math.sqrt(self.lean - LEAN)
        return quad(lambda s: 2 * s / math.sqrt(self.square(self.lean - s * s)), *ends, epsabs=1e-13, epsrel=1e-12)[0]


def random_can(seed: int) -> Can:
    random = np.random.default_rng([seed, 112])
    m, R, H = (float(value) for value in random.uniform((0.2, 0.1, 0.05), (5, 0.5, 0.6)))
    across, along = (float(m * R * R * part) for part in random.uniform((0.6, 0.3), (1.2, 0.5)))
    lean = float(math.atan2(R, H) * random.uniform(0.1, 0.7))
    return Can(m, R, H, across, along, lean, float(random.choice([0.0, random.uniform(0, 0.3)])) * math.sqrt(G / R))


def check(system: detent.System, seed: int) -> bool:
    """Whether its edge stays on the floor, so that there is an answer."""
    can = random_can(seed)
    if not can.stays:
        return False
    speeds = {"can_wx": -can.turning, "can_y_rate": can.turning * can.up(can.lean)}
    speeds |= {"can_z_rate": -can.turning * can.out(can.lean)}
    names = ("m", "R", "H", "across", "along")
    run = detent.simulate(
        system, until=5, rtol=1e-11, check=False, start=leaning(can.lean, can.R, can.H) | speeds,
        parameters={name: getattr(can, name) for name in names},
    )  # fmt: skip
    assert run.outcome.word == "flat-edge", run.message
    assert run.time[-1] == pytest.approx(can.falls, abs=1e-9)
    return True


def test_a_rim_that_tips_back_lies_flat_when_the_closed_form_says(system: detent.System) -> None:
    assert sum(check(system, seed) for seed in range(8)) > 5


@pytest.mark.slow
def test_hundreds_of_rims_lie_flat_when_the_closed_form_says(system: detent.System) -> None:
    assert sum(check(system, seed) for seed in range(8, 508)) > 300


@pytest.mark.parametrize("height", [0.0, 0.7])
def test_what_lies_flat_or_lands_so_ends_the_run_with_the_reason(system: detent.System, height: float) -> None:
    with pytest.raises(detent.SimulationError) as caught:
        detent.simulate(system, until=1, start=leaning(0.0, 0.2, 0.3, height))
    time = math.sqrt(2 * height / G)
    assert caught.value.run.time[-1] == pytest.approx(time, abs=1e-9)
    assert (
        "contact 'can|floor' comes to lie flat: an edge that lies flat touches all round, and which of its points is "
        "the lowest cannot be told; give its body three points or more, or a box, in place of the cylinder or rim"
    ) in str(caught.value)


@pytest.mark.parametrize("kind", ["cylinder", "rim"])
def test_a_cylinder_in_flight_may_be_upright(kind: str) -> None:
    system = thrown(kind)
    start: dict[str, Any] = leaning(0.0, 0.2, 0.3, 50.0)
    for more in ({}, {"can_wx": 5.0}, {"can_wz": 3.0}):
        run = detent.simulate(system, until=2, start=start | more)
        assert run.final.can_z == pytest.approx(50.3 - G * 2**2 / 2, abs=1e-9)


def test_on_the_axis_of_a_hollow_it_lies_flat_too() -> None:
    system = detent.System("bowl")
    joint = system.free("can", system.origin, system.ground)
    can = system.body("can", joint.point, joint.frame, 1, (0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    system.start(can_z=-0.5)
    system.contact("can|bowl", can.cylinder(0.3, 0.2), system.ground.sphere(1, inside=True))
    with pytest.raises(detent.SimulationError, match=r"contact 'can\|bowl rim 1' comes to lie flat"):
        detent.simulate(system, until=1)
