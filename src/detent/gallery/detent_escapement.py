"""A chronometer's detent escapement: the catch that gave this library its name.

A balance swings on its hairspring, twice a second. An escape wheel, driven by the train, waits with a tooth
against the detent, a slender lever that its own spring holds on a banking. As the balance swings one way its discharge
pallet lifts the detent; the tooth is free, drops onto the impulse pallet of the balance and drives it on; the
pallet lets the detent go, which runs back to its banking; the next tooth is caught. On the way back the pallet passes
by a light spring and nothing happens: one impulse per swing to and fro.

Wheel and detent each go round a cycle of their own, so a mode is a pair of their states:

    wheel     locked, dropping onto the pallet, driving the balance, running on to the detent;
    detent    banked, lifted by the balance, returning.

With theta, phi and delta the angles of balance, wheel and detent, each contact is a gap, and the constraint of that
name while it is closed:

    lock        locked_at - phi                                       the tooth on the detent
    banking     delta                                                 the detent on its banking
    discharge   delta - (r_discharge/l_detent) (theta - unlock)       the discharge pallet under the detent
    drive       locked_at + pallet + (r_impulse/r_wheel) theta - phi  the tooth on the impulse pallet

The lever arms are taken as constant, the impacts as plastic; the passing spring and the friction of the lock are left
out. Then every mode is linear, and the whole cycle has a closed form but for the roots that are its event times. Steady
going is where what the train gives, torque times the pitch of the teeth for each swing to and fro, equals what is lost
to the air and in impacts. The dimensions are those of a marine chronometer, rounded, and chosen here; with them the
balance has an amplitude of 4.14 rad after the impulse and a period of 0.500023672 s, 4.1 s a day slower than by itself,
because most of the impulse comes after the middle of the swing. Too gentle a start never unlocks the wheel: a
chronometer must be given a twist, and so must this one.
"""

from __future__ import annotations

from typing import Any, Final

from sympy import pi

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.impact import Impact
from detent.model.constraint import holonomic
from detent.model.system import System

TITLE = "a chronometer's detent escapement: unlocked one way only, impulse, lock, run to banking"

WHEEL: Final = {"locked": ["lock"], "dropping": [], "driving": ["drive"], "running": []}
DETENT: Final = {"banked": ["banking"], "lifted": ["discharge"], "returning": []}
"""The states of each, with the constraints that hold in them."""


def build() -> Example:
    """The escapement: angles ``balance``, ``wheel`` and ``detent`` (rad); ``locked_at`` is the wheel's last lock.

    ``period`` (s) and ``quality`` are those of the balance alone; ``torque`` (N m) acts on the wheel; ``unlock``,
    ``let_go`` and ``leave`` (rad) are the angles of the balance at which the discharge pallet meets the detent and
    passes it, and the tooth leaves the impulse pallet; ``pallet`` is how far the wheel turns from its lock to that
    pallet with the balance at zero; the tooth rests on the detent by the angle ``depth``, and the detent on its
    banking with the spring turned by ``preload``.

    >>> run = build().simulate(until=0.3)
    >>> [event.name for event in run.events if event.kind != "remark"]
    ['detent lifts', 'wheel drops', 'detent let go, wheel dropping', 'wheel drives, detent returning',
     'detent banks, wheel driving', 'wheel leaves, detent banked', 'wheel locks, detent banked']
    """
    system = System("detent escapement")
    balance, wheel, detent = system.coordinates("balance", "wheel", "detent")
    system.start(balance=-4)
    system.discrete("locked_at", 0)
    system.units(balance="rad", wheel="rad", detent="rad", locked_at="rad", period="s", torque="N m")
    system.units(
        detent_stiffness="N m", **dict.fromkeys(("preload", "unlock", "pallet", "let_go", "leave", "depth"), "rad")
    )
    system.units(**dict.fromkeys(("m_balance", "m_wheel", "m_detent"), "kg"))
    system.units(**dict.fromkeys(("r_balance", "r_wheel", "r_impulse", "r_discharge", "l_detent"), "m"))
    _bodies(system, balance, wheel, detent)
    _constraints(system, balance, wheel, detent)
    return Example("detent-escapement", system, until=5.0, automaton=_automaton(system))


def _bodies(system: System, balance: Any, wheel: Any, detent: Any) -> None:
    """A rim on a hairspring, a disk with a torque, a rod on a spring; wheel and balance turn opposite ways."""
    m_balance, r_balance, period, quality = system.parameters(m_balance=7e-3, r_balance=0.013, period=0.5, quality=300)
    m_wheel, r_wheel, torque = system.parameters(m_wheel=3e-4, r_wheel=0.007, torque=1.2e-4)
    r_impulse = system.parameters(r_impulse=0.00315)
    m_detent, l_detent, stiffness, preload = system.parameters(
        m_detent=6e-5, l_detent=0.012, detent_stiffness=4e-4, preload=0.05
    )
    ground, origin = system.ground, system.origin
    inertia, frequency = m_balance * r_balance**2, 2 * pi / period
    system.body("balance", origin, ground.rotated("balance", balance), m_balance, inertia)
    system.spring("hairspring", balance, stiffness=inertia * frequency**2)
    system.damper("air", balance.rate, inertia * frequency / quality)
    turned, arbor = ground.rotated("wheel", -wheel), origin.offset("arbor", -(r_wheel + r_impulse) * ground.y)
    system.body("wheel", arbor, turned, m_wheel, m_wheel * r_wheel**2 / 2)
    system.torque("train", turned, -torque * ground.z)
    lever = ground.rotated("detent", detent)
    foot = origin.offset("foot", l_detent * ground.x - r_impulse * ground.y)
    system.body("detent", foot.offset("middle", -l_detent / 2 * lever.x), lever, m_detent, m_detent * l_detent**2 / 12)
    system.spring("detent spring", detent, stiffness=stiffness, rest=-preload)


def _constraints(system: System, balance: Any, wheel: Any, detent: Any) -> None:
    """The gaps of the four contacts; a reaction is positive where the two push each other apart."""
    r_wheel, r_impulse, l_detent, locked_at = (system[n] for n in ("r_wheel", "r_impulse", "l_detent", "locked_at"))
    r_discharge, unlock, pallet = system.parameters(r_discharge=0.0018, unlock=-0.45, pallet=0.2)
    system.parameters(let_go=-0.15, leave=0.4, depth=0.02, teeth=15)
    gaps = {
        "lock": locked_at - wheel,
        "banking": detent,
        "discharge": detent - r_discharge / l_detent * (balance - unlock),
        "drive": locked_at + pallet + r_impulse / r_wheel * balance - wheel,
    }
    for name, gap in gaps.items():
        system.constrain(holonomic(name, gap), active=False)


def _automaton(system: System) -> Automaton:
    automaton = Automaton(system)
    for wheel, held in WHEEL.items():
        for detent, stopped in DETENT.items():
            automaton.mode(_mode(wheel, detent), [*held, *stopped])
    for detent in DETENT:
        _wheel_goes_round(automaton, detent)
    for wheel in WHEEL:
        _detent_goes_round(automaton, wheel)
    return automaton


def _mode(wheel: str, detent: str) -> str:
    return f"wheel {wheel}, detent {detent}"


def _gap(system: System, name: str) -> Any:
    return system.constraints[name].rows[0].expression


def _wheel_goes_round(automaton: Automaton, detent: str) -> None:
    """From lock to lock, whatever the detent does; a detent that is not back in time lets a tooth pass."""
    system = automaton.system
    balance, wheel, lever, locked_at = (system[name] for name in ("balance", "wheel", "detent", "locked_at"))
    leave, depth, pitch = system["leave"], system["depth"], 2 * pi / system["teeth"]
    locked, dropping, driving, running = (_mode(state, detent) for state in WHEEL)
    if detent == "lifted":
        automaton.transition("wheel drops", locked, dropping, when=lever >= depth)
    automaton.transition(
        f"wheel drives, detent {detent}", dropping, driving, when=_gap(system, "drive") <= 0, reset=Impact()
    )
    automaton.transition(f"wheel misses, detent {detent}", dropping, running, when=balance >= leave)
    automaton.transition(f"wheel leaves, detent {detent}", driving, running, when=balance >= leave)
    next_tooth = wheel >= locked_at + pitch
    counted = {locked_at: locked_at + pitch}
    automaton.transition(
        f"wheel locks, detent {detent}", running, locked, when=next_tooth, condition_before=lever <= depth,
        reset=[counted, Impact()],
    )  # fmt: skip
    if detent != "banked":
        automaton.transition(f"wheel trips, detent {detent}", running, running, when=next_tooth, reset=counted)


def _detent_goes_round(automaton: Automaton, wheel: str) -> None:
    """From banking to banking, whatever the wheel does; it is lifted from a locked wheel only."""
    system = automaton.system
    balance, lever, let_go = (system[name] for name in ("balance", "detent", "let_go"))
    banked, lifted, returning = (_mode(wheel, state) for state in DETENT)
    if wheel == "locked":
        automaton.transition("detent lifts", banked, lifted, when=_gap(system, "discharge") <= 0, reset=Impact())
    automaton.transition(f"detent let go, wheel {wheel}", lifted, returning, when=balance >= let_go)
    automaton.transition(f"detent falls back, wheel {wheel}", lifted, banked, when=lever <= 0, reset=Impact())
    automaton.transition(f"detent banks, wheel {wheel}", returning, banked, when=lever <= 0, reset=Impact())
