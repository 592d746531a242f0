"""Why contacts could not be settled, by name."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.settle_frame import Unsettled
from detent.contact_solves.settling import Settling
from detent.errors import listed
from detent.hybrid.status_automaton import StatusAutomaton

OUT_OF_RANGE: Final = (
    "a coefficient of its laws is not a number or out of its range; friction must not be negative, static friction not "
    "below kinetic where slip begins, restitution from 0 to 1"
)


def why_not_settled(automaton: StatusAutomaton, family: str, settling: Settling, status: int) -> str | None:
    """Why contacts of a family of modes could not be settled; None where a program failed for another reason."""
    if status not in list(Unsettled):
        return None
    record, places = settling.record[0], automaton.places
    culprit = int(record["culprit"])
    struck = places[culprit : culprit + 1] if culprit >= 0 else places[:0]
    name = f"contact '{struck[0].name}'" if struck else "the contacts"
    match Unsettled(status):
        case Unsettled.NO_MASS:
            return "some speed moves no mass, so that contacts cannot be solved for; give every body mass and inertia"
        case Unsettled.NO_STATUS:
            return (
                f"{name}: no motion satisfies its friction (Painleve's paradox), and no impact without collision leads "
                "out of it; use less friction, or another angle"
            )
        case Unsettled.NOT_CONVERGED:
            return (
                f"{name}: not converged: what the contacts do could not be found (residual "
                f"{float(record['residual']):.2g}); please report it with the model"
            )
        case Unsettled.IMPACT_GAINS:
            laws = sorted({f"detent.{type(place.contact.impact).__name__}" for place in struck})
            return (
                f"{name}: its impact would gain energy by its law{f', {laws[0]}' if laws else ''}; detent.Poisson, "
                "detent.Stronge and detent.Plastic cannot: use one of them"
            )
        case Unsettled.BAD_LAW:
            return f"{name}: {OUT_OF_RANGE}"
        case Unsettled.IMPACT_FAILED:
            return (
                f"{name}: not converged: its impact could not be followed to its end (residual "
                f"{float(record['residual']):.2g}); please report it with the model"
            )
        case Unsettled.OVERLAPS:
            return f"{name}: its shapes overlap by {float(record['depth']):.6g} m; move them apart before it counts"
        case Unsettled.NO_TIP:
            return (
                f"{name}: friction at its middle would tip it, and there is no point of its rim over which it tips: it "
                "spins faster than it slides, and each point slips in another direction; where a flat end presses is "
                "not known, and its motion depends on it: let it stand on three points of its rim or more, each with a "
                "contact of its own, or use less friction or spin"
            )
        case Unsettled.BLOCKED:
            held = [f"'{constraint.name}'" for constraint in automaton.held(family)]
            besides = f"what holds besides ({listed(held)})" if held else "the coordinates that there are"
            return (
                f"{name}: its shapes approach one another, and no impulse ends that: with {besides} nothing gives way "
                "to it; release a constraint, or stop what drives them together"
            )
