"""The contacts of a run as cells that the event kernel calls; see :mod:`detent.contact_solves.settle_kernel`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.box_frame import CODE, PAIR, POINTS
from detent.contact_solves.cone_frame import CONE, cone_arrays
from detent.contact_solves.flat_end_frame import FLAT_END, RIM_POINTS
from detent.contact_solves.kernels import SETTLING
from detent.contact_solves.settle_frame import (
    NO_TURNS,
    SETTLED,
    TELLING,
    TRIGGER,
    TURN_STATES,
    Reason,
    Turns,
    geometry_size,
    settling_arrays,
)
from detent.contact_solves.several_impacts_frame import SEVERAL_IMPACTS, ImpactOrder
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT
from detent.errors import DetentError
from detent.jit.abi import WORD
from detent.jit.address import address_or_zero, check_places, raw_address, room_of
from detent.jit.arrays import Words


class Programs(NamedTuple):
    """The cells that say what there is at a state."""

    unsolved: Words
    """M and f (see :class:`detent.solves.mass_solve.MassSolve`)."""
    contacts: Words
    """B, C and gamma of all rows of contacts, and their coefficients."""
    constraints: Words | None
    """Those of constraints that always hold."""
    standing: Words | None = None
    """Where the boxes stand whose features are chosen where they meet; None where that is not asked."""


@final
@dataclass(frozen=True)
class Sizes:
    """How many there are."""

    coordinates: int
    speeds: int
    signals: int
    held_rows: int
    count: int
    """Places of contact."""
    dimension: int
    """Rows of each: 2 in the plane, 3 in space."""
    turns: Turns = NO_TURNS
    """Turning that is resisted."""

    @property
    def slip_states(self) -> int:
        """Discrete states that hold the slip of a place: its direction, in space also how near it is to its end."""
        return 1 if self.dimension == 2 else 4

    @property
    def of_state(self) -> tuple[int, int, int]:
        return self.coordinates, self.speeds, self.signals


@final
@dataclass(frozen=True)
class ContactDiscretes:
    """Where the kernel finds discrete states among the run's values, and which of them are about contacts."""

    first: int
    count: int
    sharing: int
    statuses: Sequence[int]
    slips: Sequence[int]
    switches: Sequence[float] = ()
    """Of each load that comes and goes whether it acts; these values follow the discrete states."""
    turn_contacts: Sequence[int] = ()
    """Of all turning that is resisted: the place of contact."""
    turns: Sequence[Sequence[int]] = ()
    """Of each of these the discrete states that tell whether it turns, and which way: two, or as of a slip in space."""
    ends: Sequence[tuple[int, int, int, int]] = ()
    """Of each end that may lie flat its rim, its face, the tilting of that, and the first state of how the rim tips."""
    pairs: Sequence[tuple[int, int, int]] = ()
    """Of each pair of boxes its first place, and the discrete states of whether it touches and, the first, in what."""


@final
class Settling:
    """All contacts of a mode, in the kernel's memory; a cell for each reason to settle them."""

    def __init__(
        self, programs: Programs, outputs: int, sizes: Sizes, discrete: ContactDiscretes, impulses: NDArray[np.float64]
    ) -> None:
        self.sizes = sizes
        expected = geometry_size(sizes.count, sizes.dimension, sizes.speeds, sizes.turns)
        if outputs != expected:
            raise DetentError(
                f"the program of the contacts gives {outputs} numbers where {expected} were expected; this is a "
                "mistake in detent: please report it with the model"
            )
        self.record = np.zeros(1, dtype=SETTLED)
        statuses, slips = (np.array([*places, 0], dtype=np.int64) for places in (discrete.statuses, discrete.slips))
        check_places("what tells of sharing", np.array([discrete.sharing]), 1, discrete.count)
        check_places("the statuses of contacts", statuses, sizes.count + 1, discrete.count)
        check_places("the slip of contacts", slips, sizes.count * sizes.slip_states + 1, discrete.count)
        turns, resisting, first = _turning(discrete)
        check_places("the turning of contacts", turns, TURN_STATES * sizes.turns.number + 1, discrete.count)
        check_places("the contacts that resist turning", resisting, sizes.turns.number + 1, sizes.count)
        check_places("the rows of turning", first, sizes.turns.number + 1, sizes.turns.rows + 1)
        self._cone, self._strike = np.zeros(1, dtype=CONE), np.zeros(1, dtype=SINGLE_IMPACT)
        self._cone["steady"] = 1
        switches = np.array([*discrete.switches, 0.0])
        pairs = np.array([tuple(pair) for pair in discrete.pairs if programs.standing is not None], dtype=PAIR)
        for pair in pairs:
            check_places("the places of boxes", np.array([pair["first"], pair["first"] + POINTS - 1]), 2, sizes.count)
            told = [pair["touching"], pair["features"], pair["features"] + CODE * (1 + POINTS) - 1]
            check_places("the features of boxes", np.array(told), 3, discrete.count)
        ends = np.array([tuple(end) for end in discrete.ends], dtype=FLAT_END)
        for end in ends:
            check_places("the places of a flat end", np.array([end["rim"], end["face"]]), 2, sizes.count)
            check_places("the tilting of a flat end", np.array([end["turn"]]), 1, sizes.turns.number)
            check_places("how a rim tips", np.array([end["tip"], end["tip"] + 1]), 2, discrete.count)
        self._struck = sizes.count + RIM_POINTS * len(ends)  # a face strikes with points of its rim
        self._alive: list[Any] = [programs, statuses, slips, switches, turns, resisting, first, pairs, ends]
        given = {
            "unsolved": raw_address(programs.unsolved), "contacts": raw_address(programs.contacts),
            "constraints": address_or_zero(programs.constraints),
            "coordinates": sizes.coordinates, "speeds": sizes.speeds, "signals": sizes.signals,
            "held_rows": sizes.held_rows, "count": sizes.count, "dimension": sizes.dimension,
            "first_discrete": discrete.first, "discrete_count": discrete.count,
            "switches": raw_address(switches), "switch_count": len(discrete.switches),
            "sharing_place": discrete.sharing, "status_places": raw_address(statuses),
            "turns": sizes.turns.number, "turn_places": raw_address(turns), "turn_contacts": raw_address(resisting),
            "turn_first": raw_address(first),
            "ends": raw_address(ends) if len(ends) else 0, "end_count": len(ends),
            "pairs": raw_address(pairs) if len(pairs) else 0, "pair_count": len(pairs),
            "standing": address_or_zero(programs.standing),
            "slip_places": raw_address(slips), "cone": raw_address(self._cone), "strike": raw_address(self._strike),
        }  # fmt: skip
        for name, word in given.items():
            self.record[name] = word
        room = settling_arrays(
            sizes.of_state, sizes.held_rows, sizes.count, sizes.dimension, sizes.turns, len(pairs)
        )  # fmt: skip
        self._place(self.record, room)
        self._make_cone()
        self._make_several()
        self.leave_impulses_in(impulses)
        self._cells: dict[tuple[Reason, int, int, int], Words] = {}

    def _make_cone(self) -> None:
        """Room for what stands for turning too, and for what ties it (:mod:`detent.contact_solves.turn_kernel`)."""
        turns, dimension = self.sizes.turns.number, self.sizes.dimension
        contacts, speeds = self._struck + turns, self.sizes.speeds + turns * (dimension - 1)
        rows = contacts * dimension
        self._cone["contacts"], self._cone["dimension"], self._cone["speeds"] = contacts, dimension, speeds
        tangential = contacts * (dimension - 1)
        exchanged = {
            "rows": rows * speeds, "bias": rows, "friction": contacts, "given": contacts, "directions": tangential,
            "lower": contacts, "free": speeds, "carried": rows,
            "forces": rows, "statuses": contacts, "slip": tangential, "motions": rows,
        }  # fmt: skip
        self._place(self._cone, {**exchanged, **cone_arrays(contacts, dimension, speeds)})

    def _make_several(self) -> None:
        contacts, dimension, speeds = self._struck, self.sizes.dimension, self.sizes.speeds
        self._several = np.zeros(1, dtype=SEVERAL_IMPACTS)
        rows = contacts * dimension
        self._several["dimension"], self._several["speeds"] = dimension, speeds
        self._several["cone"], self._several["single"] = raw_address(self._cone), raw_address(self._strike)
        room = dict.fromkeys(("before", "impulses", "after", "compression", "whole"), rows)
        room |= dict.fromkeys(("friction", "restitution", "laws", "chosen"), contacts)
        room["bounce"] = 3 * contacts
        self._place(self._several, {**room, "rows": rows * speeds})
        self.record["several_impacts"], self.record["impact_order"] = raw_address(self._several), int(ImpactOrder.WAVES)

    def strike_by(self, order: ImpactOrder) -> None:
        """Let contacts that are not plastic strike in this order."""
        self.record["impact_order"] = int(order)

    def resolve(self, seconds: float) -> None:
        """Count flights that last no longer than so many seconds as none."""
        self.record["resolution"] = seconds

    def _place(self, record: NDArray[np.void], room: dict[str, int]) -> None:
        """Room for arrays, and where they are."""
        memory = np.zeros(sum(room.values()) + 1)
        self._alive.append(memory)
        for name, before in zip(room, accumulate([0, *room.values()]), strict=False):
            record[name] = raw_address(memory) + WORD * before

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave the impulses there from now on; only where the kernel does not run."""
        self.record["impulses"] = room_of(
            "the impulses", impulses, self.sizes.count * self.sizes.dimension + len(TELLING)
        )
        self._impulses = impulses

    def keep(self, owner: object) -> None:
        """Keep alive what the cells belong to."""
        self._alive.append(owner)

    def cell(self, reason: Reason, contact: int, turn: int = -1, pair: int = -1) -> Words:
        """What settles all contacts where something happens to one of them, to turning that it resists, or to boxes."""
        key = reason, contact, turn, pair
        if key not in self._cells:
            self._cells[key] = self._made("settle", *key)
        return self._cells[key]

    @cached_property
    def rates(self) -> Words:
        """The rates of the state, with the forces that contacts share."""
        return self._made("shared_rates")

    @cached_property
    def slack(self) -> Words:
        """How far the forces that contacts share are from the nearest edge of their cones."""
        return self._made("shared_slack")

    @cached_property
    def forces(self) -> Words:
        """The forces of all contacts, a row each, those that are shared included; then the moments against turning."""
        return self._made("shared_forces")

    def _made(
        self, name: str, reason: Reason = Reason.STARTS, contact: int = -1, turn: int = -1, pair: int = -1
    ) -> Words:
        trigger = np.zeros(1, dtype=TRIGGER)
        trigger["settled"], trigger["reason"] = raw_address(self.record), int(reason)
        trigger["contact"], trigger["turn"], trigger["pair"], trigger["own"] = contact, turn, pair, contact
        trigger["asked"] = int(reason)
        self._alive.append(trigger)
        return np.array([SETTLING.address(name), raw_address(trigger)], dtype=np.int64)


def _turning(discrete: ContactDiscretes) -> tuple[Words, Words, Words]:
    """Of all turning: its discrete states, with room for all there may be; its contacts; its first rows."""
    states = [place for each in discrete.turns for place in [*each, *[0] * (TURN_STATES - len(each))]]
    widths = [1 if len(each) == 2 else 2 for each in discrete.turns]
    turns, contacts = (np.array([*each, 0], dtype=np.int64) for each in (states, discrete.turn_contacts))
    return turns, contacts, np.array([0, *accumulate(widths)], dtype=np.int64)
