"""The system: the builder that holds everything the user writes down."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from detent.errors import DetentError, Fault, UnknownNameError
from detent.model.body import Body, read_inertia
from detent.model.constraint import Constraint, holonomic
from detent.model.contact import status_name
from detent.model.drawing import MOST, Drawing, declared_function
from detent.model.expression import read_expression
from detent.model.frame import Frame
from detent.model.input import FUNCTION_REMEDY, Held, Sampled, is_function
from detent.model.joint import Joint, ball_joint, free_joint, planar_joint, prismatic_joint, revolute_joint
from detent.model.latch import Latch, declared_latch
from detent.model.load import Load
from detent.model.load_kinds import (
    Damper,
    Force,
    Gravity,
    PairDamper,
    PointDamper,
    PointSpring,
    Potential,
    Torque,
)
from detent.model.names import name_fault
from detent.model.owned import owned_ends, owned_frame, owned_point, owned_vector
from detent.model.point import Point
from detent.model.quantity import (
    ContactSpeed,
    Coordinate,
    Discrete,
    Input,
    Parameter,
    Quantity,
    Reaction,
    Signal,
    Speed,
    StatusState,
    Time,
)
from detent.model.rotation import AxisRotation, QuaternionRotation, quaternion_rates
from detent.model.vector import Components, Vector

if TYPE_CHECKING:
    from detent.model.contact import Contact
    from detent.model.friction_laws import Coulomb
    from detent.model.impact_laws import ImpactLaw
    from detent.model.shape import Shape

_numbers = itertools.count(1)


class System:
    """A mechanical system: quantities, frames, points, bodies and loads, all with names.

    Mistakes in names are gathered and reported together with all others when the model is first used.

    >>> from sympy import pi
    >>> system = System("pendulum")
    >>> m, length, g = system.parameters(m=1, length=1, g=9.81)
    >>> angle = system.coordinates(angle=pi/2)
    >>> rod = system.ground.rotated("rod", angle, about="z")
    >>> bob = system.particle("bob", system.origin.offset("tip", -length*rod.y), mass=m)
    >>> system.gravity(-g*system.ground.y)
    >>> [str(speed) for speed in system.all_speeds()]
    ['angle_rate']
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = next(_numbers)
        self.faults: list[Fault] = []
        self.time = Time(self, "t")
        self.parameter_values: dict[Parameter, Any] = {}
        self.coordinate_list: list[Coordinate] = []
        self.speed_definitions: dict[Speed, Any] = {}
        """Each speed with its definition u = Y q' + Z, or None for one that only drives signals."""
        self.signal_rates: dict[Signal, Any] = {}
        self.quaternions: list[tuple[Signal, Signal, Signal, Signal]] = []
        """Signals that together are a unit quaternion, kept at length one."""
        self.input_rules: dict[Input, Any] = {}
        self.drawings: dict[str, Drawing] = {}
        """What can be drawn while a run goes on, by name."""
        self.latches: dict[str, Latch] = {}
        self.discrete_states: list[Discrete] = []
        self.start_values: dict[str, Any] = {}
        self.unit_texts: dict[str, str] = {}
        """Units by the names of quantities, for whoever shows their values."""
        self.bodies: dict[str, Body] = {}
        self.loads: dict[str, Load] = {}
        self.switched_loads: list[str] = []
        """Loads that act only in the modes that name them."""
        self.constraints: dict[str, Constraint] = {}
        self.active_at_start: list[str] = []
        """Constraints that hold from the start, and in every mode of an automaton."""
        self.contacts: dict[str, Contact] = {}
        self.frames: dict[str, Frame] = {}
        self.points: dict[str, Point] = {}
        self.ground = self._add_frame("ground", None, None)
        self.origin = self._add_point("origin", None, Vector({}))

    # -- quantities --------------------------------------------------------------------------

    def parameters(self, **values: Any) -> Any:
        """Declare parameters with their values (None: must be given at each run). Returns their symbols."""
        made = []
        for name, value in values.items():
            symbol = self._declare(Parameter, name)
            self.parameter_values[symbol] = value
            made.append(symbol)
        return _one_or_all(made)

    def coordinates(self, *names: str, **starts: Any) -> Any:
        """Declare generalized coordinates, by name or with their start values. Returns their symbols."""
        made = []
        for name in (*names, *starts):
            symbol = self._declare(Coordinate, name)
            self.coordinate_list.append(symbol)
            made.append(symbol)
        self.start(**starts)
        return _one_or_all(made)

    def speeds(self, *names: str, **definitions: Any) -> Any:
        """Declare generalized speeds by their definition u = Y q' + Z; without one, a speed that drives signals only.

        Coordinates whose rate appears in no definition get a speed of their own, named ``<coordinate>_rate``.
        """
        made = []
        for name, given in [*((name, None) for name in names), *definitions.items()]:
            symbol = self._declare(Speed, name)
            self.speed_definitions[symbol] = None if given is None else read_expression(f"speed '{name}'", given)
            made.append(symbol)
        return _one_or_all(made)

    def signal(self, name: str, rate: Any, start: float = 0.0) -> Signal:
        """Declare a quantity known only through its rate, an expression in the system's quantities."""
        symbol: Signal = self._declare(Signal, name)
        self.signal_rates[symbol] = read_expression(f"signal '{name}'", rate)
        self.start(**{name: start})
        return symbol

    def quaternion(self, name: str, angular_velocity: Components | Vector) -> tuple[Signal, Signal, Signal, Signal]:
        """Declare a unit quaternion of signals ``<name>_qw .. _qz`` that turns with an angular velocity.

        The angular velocity is given along the turned axes, or as a vector along the axes of the frame against which it
        turns. The quaternion starts as no rotation.
        """
        w, x, y, z = (self._declare(Signal, f"{name}_q{letter}") for letter in "wxyz")
        given, is_vector = angular_velocity, isinstance(angular_velocity, Vector)
        if isinstance(given, Vector):
            parent = next(iter(given.terms), self.ground)
            given = parent.components(f"quaternion '{name}': its angular velocity", given)
        self.signal_rates.update(zip((w, x, y, z), quaternion_rates((w, x, y, z), given, is_vector), strict=True))
        self.quaternions.append((w, x, y, z))
        return w, x, y, z

    def input(self, name: str, value: Any = 0.0) -> Any:
        """Declare an input: a number, an expression in :attr:`time`, :class:`Held` or :class:`Sampled`."""
        if is_function(value):
            raise DetentError(f"input '{name}': found the Python function {value!r}; {FUNCTION_REMEDY}")
        symbol = self._declare(Input, name)
        held = isinstance(value, (Held, Sampled))
        self.input_rules[symbol] = value if held else read_expression(f"input '{name}'", value)
        return symbol

    def drawn(self, name: str, points: int = MOST) -> Any:
        """Declare a function y(x) that is drawn while a run goes on (:meth:`Simulation.draw`); before, it is zero.

        It goes through up to so many ``points``, as :func:`detent.tabulated` does. Curves: ``ground.drawing``.
        """
        return declared_function(self, name, points)

    def latch(self, name: str, expression: Any) -> Constraint:
        """Declare a constraint that holds an expression of positions at the value that it has when it is imposed.

        It does not hold before :meth:`Simulation.latch` or :meth:`Live.latch` is called with its name; then nothing has
        to be derived.
        """
        self.latches[name] = latch = declared_latch(self, name, expression)
        return latch.constraint

    def discrete(self, name: str, start: Any = 0.0) -> Any:
        """Declare a discrete state: a value that stays until the reset of a transition sets it."""
        symbol = self._declare(Discrete, name)
        self.discrete_states.append(symbol)
        self.start(**{name: start})
        return symbol

    def start(self, **values: Any) -> None:
        """Set start values of coordinates, speeds, signals and discrete states; what is not set starts at zero."""
        self.start_values.update(values)

    def units(self, **units: str) -> None:
        """Say in which units quantities are, such as ``units(x="m", angle="rad")``: for plots and files, no more.

        Nothing is converted. A speed that is the rate of a coordinate has the unit of that per second unless it is
        said; joints say theirs by themselves.
        """
        for name, unit in units.items():
            if not isinstance(unit, str) or not unit.strip():
                self.faults.append(Fault(f"unit of '{name}'", f"found {unit!r}", "give a text such as 'm' or 'rad/s'"))
            else:
                self.unit_texts[name] = unit.strip()

    def _declare(self, kind: type[Quantity], name: str) -> Any:
        if not isinstance(name, str):
            raise DetentError(f"{kind.role} {name!r}: its name is no text; give it a name such as '{kind.role}_1'")
        fault = name_fault(kind.role, name, {symbol.name: symbol.role for symbol in self.quantities()})
        if fault is not None:
            self.faults.append(fault)
        return kind(self, name)

    def quantities(self) -> list[Quantity]:
        """Every named quantity declared so far."""
        return [
            *self.parameter_values,
            *self.coordinate_list,
            *self.speed_definitions,
            *self.signal_rates,
            *self.input_rules,
            *self.discrete_states,
        ]

    def all_speeds(self) -> dict[Speed, Any]:
        """The speeds with their definitions, those included that coordinates get by themselves."""
        speeds = dict(self.speed_definitions)
        used: set[Any] = set()
        for definition in speeds.values():
            if definition is not None:
                used |= definition.free_symbols
        for coordinate in self.coordinate_list:
            if coordinate.rate not in used:
                speeds[Speed(self, f"{coordinate.name}_rate")] = coordinate.rate
        return speeds

    # -- geometry ----------------------------------------------------------------------------

    def _add_frame(self, name: str, parent: Frame | None, rotation: AxisRotation | QuaternionRotation | None) -> Frame:
        """Put a frame into the tree, for :meth:`Frame.rotated` and its like."""
        self._check_taken("frame", name, self.frames)
        frame = Frame(self, name, parent, rotation)
        self.frames.setdefault(str(name), frame)
        return frame

    def _add_point(self, name: str, parent: Point | None, displacement: Vector) -> Point:
        """Put a point into the tree, for :meth:`Point.offset`."""
        self._check_taken("point", name, self.points)
        point = Point(self, name, parent, displacement)
        self.points.setdefault(str(name), point)
        return point

    def denavit_hartenberg(
        self, name: str, at: Point, frame: Frame, d: Any = 0, theta: Any = 0, a: Any = 0, alpha: Any = 0
    ) -> tuple[Frame, Point]:
        """The next frame and point of a standard Denavit-Hartenberg link.

        Turn by theta about z, move d along z and a along the turned x, turn by alpha about that x.
        """
        turned = frame.rotated(f"{name}_theta", theta, about="z")
        point = at.offset(name, d * frame.z + a * turned.x)
        return turned.rotated(name, alpha, about="x"), point

    # -- bodies ------------------------------------------------------------------------------

    def body(self, name: str, center: Point, frame: Frame, mass: Any, inertia: Any) -> Body:
        """Add a rigid body: mass (kg), and central moments of inertia (kg m^2) along its frame's axes.

        ``inertia``: one value (about z, for planar motion), three (xx, yy, zz), six (xx, yy, zz, xy, yz, zx), or a
        3 by 3 matrix.
        """
        self._check_taken("body", name, self.bodies)
        where = f"body '{name}'"
        place, axes = owned_point(self, where, center), owned_frame(self, where, frame)
        body = Body(name, place, axes, read_expression(where, mass), read_inertia(name, inertia))
        self.bodies.setdefault(str(name), body)
        return body

    def particle(self, name: str, point: Point, mass: Any) -> Body:
        """Add a mass (kg) at a point, with no extent."""
        self._check_taken("body", name, self.bodies)
        where = f"particle '{name}'"
        place = owned_point(self, where, point)
        body = Body(name, place, place.carrier, read_expression(where, mass), read_inertia(name, (0, 0, 0)))
        self.bodies.setdefault(str(name), body)
        return body

    # -- joints ------------------------------------------------------------------------------

    def revolute(self, name: str, at: Point, frame: Frame, about: Any = "z", start: Any = None) -> Joint:
        """A hinge: coordinate ``name`` (rad), speed ``name_rate``, a new frame ``name``."""
        return revolute_joint(self, name, at, frame, about, start)

    def prismatic(self, name: str, at: Point, frame: Frame, along: Any = "x", start: Any = None) -> Joint:
        """A slider: coordinate ``name`` (m), speed ``name_rate``, a new point ``name``."""
        return prismatic_joint(self, name, at, frame, along, start)

    def planar(self, name: str, at: Point, frame: Frame) -> Joint:
        """Free motion in the x-y plane: coordinates ``name_x``, ``name_y``, ``name_angle`` and their rates."""
        return planar_joint(self, name, at, frame)

    def ball(self, name: str, at: Point, frame: Frame, *, spin_along_parent: bool = False) -> Joint:
        """A ball joint: quaternion signals ``name_qw .. _qz`` and body-fixed speeds ``name_wx``, ``_wy``, ``_wz``.

        With ``spin_along_parent`` these are along the axes of ``frame``: better for spheres, whose motion then does not
        depend on how they are turned, nor on what their quaternion errs by.
        """
        return ball_joint(self, name, at, frame, spin_along_parent)

    def free(self, name: str, at: Point, frame: Frame, *, spin_along_parent: bool = False) -> Joint:
        """Six degrees of freedom: coordinates ``name_x``, ``_y``, ``_z``, their rates, and a ball joint's.

        >>> system = System("ball")
        >>> joint = system.free("ball", system.origin, system.ground, spin_along_parent=True)
        >>> joint.speeds
        (ball_x_rate, ball_y_rate, ball_z_rate, ball_wx, ball_wy, ball_wz)
        """
        return free_joint(self, name, at, frame, spin_along_parent)

    # -- loads: with active=False they act only in the modes of an automaton that name them ---

    def gravity(self, acceleration: Vector, name: str = "gravity", active: bool = True) -> None:
        """Let every mass feel an acceleration (m/s^2), such as ``-9.81*system.ground.y``."""
        self._load(Gravity(name, owned_vector(self, f"gravity '{name}'", acceleration)), active)

    def force(
        self, name: str, at: Point | Body, vector: Vector, reaction: Point | Body | None = None, active: bool = True
    ) -> None:
        """Apply a force (N) at a point or a body's centre; its opposite at ``reaction``."""
        where = f"force '{name}'"
        along, point = owned_vector(self, where, vector), owned_point(self, where, at)
        other = None if reaction is None else owned_point(self, where, reaction)
        self._load(Force(name, point, along, other), active)

    def torque(
        self, name: str, on: Frame | Body, vector: Vector, reaction: Frame | Body | None = None, active: bool = True
    ) -> None:
        """Apply a torque (N m) on a frame or body; its opposite on ``reaction``."""
        where = f"torque '{name}'"
        along, frame = owned_vector(self, where, vector), owned_frame(self, where, on)
        other = None if reaction is None else owned_frame(self, where, reaction)
        self._load(Torque(name, frame, along, other), active)

    def potential(self, name: str, energy: Any, active: bool = True) -> None:
        """Add a potential energy (J), an expression in coordinates, signals, parameters and time."""
        self._load(Potential(name, read_expression(f"potential '{name}'", energy)), active)

    def spring(self, name: str, between: Any, stiffness: Any, rest: Any = 0, active: bool = True) -> None:
        """Add a linear spring V = k (x - rest)^2 / 2; ``between``: a length or angle x, or two points."""
        where = f"spring '{name}'"
        k, length = read_expression(where, stiffness), read_expression(where, rest)
        if isinstance(between, tuple):
            self._load(PointSpring(name, *owned_ends(self, where, between), k, length), active)
        else:
            self._load(Potential(name, k * (read_expression(where, between) - length) ** 2 / 2), active)

    def damper(self, name: str, on: Any, coefficient: Any, quadratic: bool = False, active: bool = True) -> None:
        """Add a damper -b chi (or -b |chi| chi); ``on``: a rate chi, a point or body (its velocity), or two points."""
        where = f"damper '{name}'"
        value = read_expression(where, coefficient)
        if isinstance(on, tuple):
            self._load(PairDamper(name, *owned_ends(self, where, on), value, quadratic), active)
        elif isinstance(on, (Point, Body)):
            self._load(PointDamper(name, owned_point(self, where, on), value, quadratic), active)
        else:
            self._load(Damper(name, read_expression(where, on), value, quadratic), active)

    def _load(self, load: Load, active: bool) -> None:
        self._check_taken("load", load.name, self.loads)
        self.loads.setdefault(str(load.name), load)
        if not active:
            self.switched_loads.append(load.name)

    # -- constraints -------------------------------------------------------------------------

    def constrain(self, constraint: Constraint | str, expression: Any = None, *, active: bool = True) -> Constraint:
        """Declare a constraint, or by its name that an expression of positions stays zero.

        It holds from the start of a run, and in every mode of an automaton. ``active=False`` leaves it to be imposed by
        its name: by the modes that name it, or during a run.
        """
        wanted = holonomic(constraint, expression) if isinstance(constraint, str) else constraint
        if not isinstance(wanted, Constraint) or (wanted is constraint and expression is not None):
            found = f"{constraint!r}" if expression is None else f"{constraint!r} and {expression!r}"
            raise DetentError(
                f"found {found} where a constraint was expected; give one (detent.holonomic, detent.motion, ...), or a "
                "name and an expression"
            )
        self._check_taken("constraint", wanted.name, self.constraints)
        self.constraints.setdefault(str(wanted.name), wanted)
        if active:
            self.active_at_start.append(wanted.name)
        return wanted

    def reaction(self, name: str) -> Reaction:
        """The reaction of a constraint's row (``"floor"``, ``"hinge.x"``) as a symbol for loads, linear in it.

        The row must be one that the system or a mode declares; that is looked at when a run starts.
        In N where the row is in metres, in N m where it is in radians; positive where it pushes the row's expression
        up; zero while the constraint is not active.
        """
        made: Reaction = Reaction(self, f"reaction of {name}")
        return made

    # -- contacts ----------------------------------------------------------------------------

    def contact(
        self,
        name: str,
        first: Shape,
        second: Shape,
        friction: Coulomb | None = None,
        impact: ImpactLaw | None = None,
        enabled: bool = True,
    ) -> Contact:
        """Declare that two shapes may touch: with a friction law, or none, and an impact law (``Poisson(0)``).

        ``enabled=False`` leaves it to the modes of an automaton that enable it, or to be enabled during a run.

        >>> import detent
        >>> system = detent.System("example")
        >>> ball = system.particle("ball", system.origin.offset("p", system.coordinates("y")*system.ground.y), mass=1)
        >>> system.contact("ball|floor", ball.circle(0.1), system.ground.line(), impact=detent.Poisson(0.5)).places
        ('ball|floor',)
        >>> system.contact_status("ball|floor")
        status of ball|floor
        """
        from detent.model.contact_making import add_contact, made_contact  # most systems have no contact

        self._check_taken("contact", name, self.contacts)
        made = made_contact(self, name, first, second, friction, impact, enabled)
        if isinstance(name, str) and name not in self.contacts:
            add_contact(self, made)
        return made

    def contact_status(self, name: str, feature: str = "") -> StatusState:
        """The status of a contact as a symbol for guards, conditions and loads: its values are those of
        ``ContactStatus``.

        ``feature`` names the place where the shapes may touch in several: ``contact_status("box|floor", "corner 2")``.
        """
        if not isinstance(name, str) or name not in self.contacts:
            raise UnknownNameError(name, self.contacts, what="contact")
        made: StatusState = StatusState(self, status_name(self.contacts[name].place(feature)))
        return made

    @property
    def slip_speed(self) -> ContactSpeed:
        """The speed of slip (m/s) as a symbol for the coefficients of a friction law."""
        made: ContactSpeed = ContactSpeed(self, "slip speed")
        return made

    @property
    def approach_speed(self) -> ContactSpeed:
        """The speed at which two shapes meet (m/s) as a symbol for the restitution of an impact law; never negative."""
        made: ContactSpeed = ContactSpeed(self, "approach speed")
        return made

    # -- using the model ---------------------------------------------------------------------

    def equations(self, limit: int | None = None) -> Any:
        """Kane's equations of this system, to read: F_r, F_r*, M and f, and each element's own part."""
        from detent.dynamics.equations import Equations

        return Equations(self) if limit is None else Equations(self, limit)

    # -- checks ------------------------------------------------------------------------------

    def _check_taken(self, kind: str, name: str, taken: dict[str, Any]) -> None:
        if not isinstance(name, str) or not name.strip():
            self.faults.append(Fault(f"{kind} {name!r}", "its name is empty or no text", "give it a name"))
        elif name in taken:
            self.faults.append(
                Fault(f"{kind} '{name}'", f"there is already a {kind} of that name", "choose another name")
            )

    def __getitem__(self, name: str) -> Quantity:
        """The symbol of a quantity, by its name."""
        for symbol in [*self.quantities(), *self.all_speeds()]:
            if symbol.name == name:
                return symbol
        raise UnknownNameError(name, [symbol.name for symbol in self.quantities()])

    def _repr_html_(self) -> str:
        from detent.model.system_page import page_of  # for notebooks alone

        return page_of(self)

    def __repr__(self) -> str:
        return (
            f"<system '{self.name}': {len(self.coordinate_list)} coordinates, {len(self.all_speeds())} speeds, "
            f"{len(self.bodies)} bodies, {len(self.loads)} loads>"
        )


def _one_or_all(made: list[Any]) -> Any:
    return made[0] if len(made) == 1 else tuple(made)
