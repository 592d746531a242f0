"""A live run in the studio: hands on its bodies, latches, fences and paths that are drawn. It knows no page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.expr.tabulated import tabulated
from detent.expr.text import number_from_text, symbolic
from detent.gallery.example import Example
from detent.jit.arrays import FloatArray
from detent.model.body import Body
from detent.model.coupler import Coupler, couple
from detent.model.drawing import Drawing
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Plastic
from detent.model.shape import Shape
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.live import Live
from detent.simulation.live_reading import LiveReading, states_of_late
from detent.simulation.live_timing import LiveTiming
from detent.stepping.servo_clock import Clock
from detent.studio.drawing import Place, apart, facing, from_left, outlined, smooth
from detent.view.contact_scene import shapes_of
from detent.view.plane import plane_of
from detent.view.poses import pose_nodes

MOST_HANDLES: Final = 12
"""Bodies that can be taken hold of: the first ones."""
PULL: Final = 20.0
"""What a coupler's spring makes of the mass that it holds, rad/s: K = m PULL^2, so that its own weight stretches it by
g/PULL^2, some 25 mm."""
CALM: Final = 0.7
"""The damping of that motion relative to the critical one."""
NEAR: Final = 1e-3
"""Places of a drawing that are nearer to one another, relative to the size of the scene, are one."""
KEPT: Final = ("parameters", "start", "inputs", "formulation", "constraints", "mode")
"""What of an example's settings a live run takes over; how it steps is its own affair."""


@final
class LiveSession:
    """A model that moves by the clock, with a hand for each of its bodies.

    ``made`` is changed: couplers become a part of its system. ``values`` are those of all parameters, by name, at which
    the couplers' gains are chosen; ``changes`` are options of the run, ``size`` is that of the scene (m).

    >>> import detent
    >>> from detent.stepping.servo_clock import SimulatedClock
    >>> session = LiveSession(detent.example("pendulum"), {"m": 1.0}, clock=SimulatedClock())
    >>> session.grab("bob")
    >>> session.move("bob", (1.0, 0.0, 0.0))
    >>> session.live.advance(2)
    >>> bool(abs(session.live.state.angle - 1.5) < 0.2)
    True
    """

    def __init__(
        self, made: Example, values: Mapping[str, float], changes: Mapping[str, Any] | None = None, size: float = 1.0,
        rate: float = 1000.0, clock: Clock | None = None, log: Path | None = None,
    ) -> None:  # fmt: skip
        self.example, self._size = made, size
        self.system: System = made.system
        self.handles: dict[str, Coupler] = {}
        """Couplers by the names of their bodies."""
        for body in list(self.system.bodies.values())[:MOST_HANDLES]:
            coupler = _coupled(body, values)
            if coupler is not None:
                self.handles[body.name] = coupler
        settings = {name: value for name, value in made.settings.items() if name in KEPT}
        for name, value in (changes or {}).items():
            if name in ("parameters", "start", "inputs"):
                settings[name] = {**settings.get(name, {}), **value}
        self.live = Live(
            made.automaton or self.system, rate=rate, couplers=tuple(self.handles.values()), clock=clock, log=log,
            **settings,
        )  # fmt: skip
        centers = [body.center for body in self.system.bodies.values()]
        self._centers = LiveReading(self.live, lambda kinematics: pose_nodes(kinematics, centers, []))
        self.held: str | None = None
        """The body that a hand holds."""
        self.latches: dict[str, str] = {}
        """What is latched, by the names of the constraints."""
        self.drawn: dict[str, list[Place]] = {}
        """Fences and paths as they look, by the names of their contacts and constraints."""
        self._count = 0

    # -- running -----------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Let time pass."""
        if not self.live.is_running:
            self.live.start(beside_idle=True)

    def pause(self) -> str | None:
        """Stand still; why it stood still before, if it did."""
        try:
            self.live.stop()
        except DetentError as error:
            return str(error)
        return None

    def replay(self) -> Run:
        """The run again, from its recording."""
        return self.live.recording.replay()

    @property
    def timing(self) -> LiveTiming:
        """How well it keeps time."""
        return self.live.timing

    def course(self, seconds: float, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """The times of the steps of the last so many seconds, and some quantities there, a column each."""
        state, rows = self.live.state, states_of_late(self.live, seconds)
        times = state.time - self.live.timing.period * np.arange(len(rows) - 1, -1, -1)
        columns = [state.layout.column(name) for name in names]
        return times, rows[:, columns] if len(rows) else np.empty((0, len(columns)))

    # -- hands -------------------------------------------------------------------------------------

    def grab(self, body: str) -> None:
        """Take hold of a body where it is; another one is let go."""
        coupler = self._handle(body)
        if self.held not in (None, body):
            self.let_go()
        self.live.grab(coupler)
        self.held = body

    def move(self, body: str, place: Sequence[float]) -> None:
        """Say where the hand is (m)."""
        self.live.move(self._handle(body), tuple(map(float, place)))

    def let_go(self) -> None:
        """Let go of what is held."""
        held, self.held = self.held, None
        if held is not None:
            self.live.let_go(self._handle(held))

    @property
    def force(self) -> FloatArray:
        """What the hand feels (N), along the ground's axes."""
        return np.zeros(3) if self.held is None else self.live.force(self._handle(self.held))

    def place(self, body: str) -> FloatArray:
        """Where a body's centre is now (m)."""
        number = list(self.system.bodies).index(self._body(body).name)
        return self._centers.now()[1][3 * number : 3 * number + 3]

    def _handle(self, body: str) -> Coupler:
        if body not in self.handles:
            raise UnknownNameError(body, self.handles, what="body that can be taken hold of")
        return self.handles[body]

    # -- latches and parameters --------------------------------------------------------------------

    def latch(self, text: str) -> str:
        """Hold an expression of positions, as text, at the value that it has; the name of the latch."""
        held, name = symbolic(text, self._symbol), self._named("latch")
        self.live.latch(name, held)
        self.latches[name] = text
        return name

    def unlatch(self, name: str) -> None:
        """Let go what is latched, or take away what is drawn."""
        if name not in self.latches and name not in self.drawn:
            raise UnknownNameError(name, (*self.latches, *self.drawn), what="latch or drawing")
        if name in self.system.drawings:
            self.live.erase(name)
        else:
            self.live.release(name)
        self.latches.pop(name, None)
        self.drawn.pop(name, None)

    def set(self, texts: Mapping[str, str]) -> list[str]:
        """Give parameters the values of texts; the names of those that changed. Every fault is told at once."""
        known, changed, faults = self.live.parameters, dict[str, float](), []
        for name, text in texts.items():
            try:
                value = number_from_text(text)
                if name in known and value != known[name]:
                    changed[name] = value
            except DetentError as error:
                faults.append(f"{name}: {error}")
        if faults:
            raise ValueProblem("\n".join(faults))
        if changed:
            self.live.set(**changed)
        return list(changed)

    def _symbol(self, name: str) -> Any:
        """A quantity or, as in ``bob.y``, a place of a body or a point."""
        owner, dot, axis = name.rpartition(".")
        if dot and axis in ("x", "y", "z"):
            if owner in self.system.bodies:
                return self.system.bodies[owner].center.position().dot(getattr(self.system.ground, axis))
            if owner in self.system.points:
                return self.system.points[owner].position().dot(getattr(self.system.ground, axis))
        return self.system[name]

    # -- drawings ----------------------------------------------------------------------------------

    def draw_fence(self, body: str, places: Sequence[Sequence[float]], friction: float = 0.0) -> str:
        """Put a fence in the way of a body, which rides it from the next touch on.

        Where the model has room for a fence that this body may touch, that is drawn, with the laws that it was declared
        with: only numbers change. Otherwise it is a new contact without bounces, whose equations are derived first.
        """
        self.check_plane()
        wanted = self._body(body)
        way = facing(apart(places, NEAR * self._size), self.place(body))
        room = self._room(wanted)
        if room is not None:
            return self._draw_into(room, way, friction)
        name = self._named(f"{body}|fence")
        law = None if friction == 0.0 else Coulomb(friction)
        pieces = smooth(way)
        track = self.system.ground.track(way[0], *pieces)
        self.live.contact(name, self._shape(wanted), track, friction=law, impact=Plastic())
        self.drawn[name] = outlined(way[0], pieces)
        return name

    def _room(self, body: Body) -> Drawing | None:
        """What the model has declared to be drawn, and this body may touch."""
        for contact in self.system.contacts.values():
            for shape, other in ((contact.first, contact.second), (contact.second, contact.first)):
                flag = getattr(shape, "is_drawn", None)
                if flag is not None and other.seat.carrier is body:
                    return next(each for each in self.system.drawings.values() if each.is_drawn == flag.name)
        return None

    def _draw_into(self, room: Drawing, way: list[Place], friction: float) -> str:
        if friction != 0.0:
            raise ValueProblem(
                f"'{room.name}' is declared with its laws, and friction is {friction:g}; leave it 0, and set the "
                "model's own parameters"
            )
        self.live.draw(room.name, way)
        self.drawn[room.name] = room.outline(way)
        return room.name

    def draw_path(self, body: str, places: Sequence[Sequence[float]]) -> str:
        """Hold a body on a path of this shape, moved up or down to where the body is."""
        self.check_plane()
        wanted = self._body(body)
        way = from_left(apart(places, NEAR * self._size))
        xs, ys = [x for x, _ in way], [y for _, y in way]
        name, center, ground = self._named("path"), wanted.center.position(), self.system.ground
        x, y = center.dot(ground.x), center.dot(ground.y)
        place = self.place(body)
        self.live.latch(name, y - tabulated(name.replace(" ", "_"), xs, ys)(x))
        lift = float(place[1]) - float(np.interp(place[0], xs, ys))
        self.drawn[name] = [(x, y + lift) for x, y in outlined(way[0], smooth(way))]
        return name

    def check_plane(self) -> None:
        """That things can be drawn: in the x-y plane alone."""
        try:
            flat = plane_of(self.system).normal == "z"
        except DetentError:  # what it says is about pictures
            flat = False
        if not flat:
            raise DetentError(
                f"'{self.system.name}' does not move in the x-y plane, in which things are drawn; latch something "
                "instead, or take hold of a body"
            )

    def _body(self, name: str) -> Body:
        if name not in self.system.bodies:
            raise UnknownNameError(name, self.system.bodies, what="body")
        return self.system.bodies[name]

    def _shape(self, body: Body) -> Shape:
        """The shape of a body in the plane: one that it has or, without, that of a disk of its inertia."""
        for shape in shapes_of(self.system):
            if shape.seat.carrier is body and shape.kind in ("circle", "point"):
                return shape
        radius = self._radius(body)
        return body.circle(radius) if radius > 0 else body.point()

    def _radius(self, body: Body) -> float:
        values = self.live.parameters
        moment, mass = _value(body.inertia.zz, values), _value(body.mass, values)
        return float(np.sqrt(2 * moment / mass)) if moment > 0 and mass > 0 else 0.0

    def _named(self, what: str) -> str:
        self._count += 1
        return f"{what} {self._count}"


def _coupled(body: Body, values: Mapping[str, float]) -> Coupler | None:
    """A coupler at a body's centre with gains for its mass; None for a body without."""
    mass = _value(body.mass, values)
    if not 0 < mass < np.inf:
        return None
    word = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in body.name)
    taken = {symbol.name for symbol in body.center.system.quantities()}
    name = next(each for each in (f"hand_on_{word}{'_' * more}" for more in range(1000)) if f"{each}_grip" not in taken)
    return couple(name, body, stiffness=PULL**2 * mass, damping=2 * CALM * PULL * mass)


def _value(expression: Any, values: Mapping[str, float]) -> float:
    """The value of an expression of parameters; NaN where it is not one of these alone."""
    import sympy

    plain = sympy.sympify(expression)
    known = {symbol: values[symbol.name] for symbol in plain.free_symbols if symbol.name in values}
    try:
        return float(plain.subs(known))
    except TypeError:
        return float("nan")
