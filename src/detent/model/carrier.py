"""What carries shapes: a body or a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from detent.errors import DetentError
from detent.model.drawing import MOST, declared_curve
from detent.model.expression import read_expression
from detent.model.orientation import OWN, along_x, along_z
from detent.model.vector import Components, Vector

if TYPE_CHECKING:
    from detent.model.frame import Frame
    from detent.model.parametric_shapes import Curve
    from detent.model.plane_shapes import Place
    from detent.model.point import Point
    from detent.model.shape import Axes, Seat, Shape
    from detent.model.track import Turn

# The kinds of shapes are imported where one is made: most systems have none, and start sooner without them.


class Carrier(ABC):
    """What carries shapes. They are made here, each by a method, and given to :meth:`System.contact`.

    A shape's own origin is the body's centre, or the system's origin where a frame carries it. ``at`` puts it
    elsewhere: a point, or components (or a vector) along the carrier's axes from there. A point that moves, as a
    prescribed one, takes the shape with it. Lengths are in metres: numbers, or expressions in parameters.
    """

    @property
    @abstractmethod
    def called(self) -> str:
        """What messages call it, such as ``body 'disk'``."""

    @abstractmethod
    def shape_seat(self) -> tuple[Point, Frame]:
        """The point and the frame with which its shapes move, where nothing else is said."""

    # -- in the plane, x-y of the frame, or anywhere ------------------------------------------

    def point(self, at: Any = None) -> Shape:
        """A point that touches: the tip of a rod, a particle. In the plane or in space.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> stairs = system.ground.track((0, 1), (1, 1), (1, 0), (3, 0))
        >>> system.contact("tip|stairs", arm.point(at=(2, 0)), stairs).features  # a tip touches no corner
        ('piece 1', 'piece 2', 'piece 3')
        """
        from detent.model.point_shape import PointShape

        return PointShape(self._seat("point", at))

    def circle(self, radius: Any, at: Any = None) -> Shape:
        """A disk in the plane, touched from outside.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> plank = system.ground.segment((0, 0), (2, 0))
        >>> system.contact("disk|plank", arm.circle(0.5, at=(2, 0)), plank).features
        ('side', 'start', 'end')
        """
        from detent.model.plane_shapes import Circle

        return Circle(self._seat("circle", at), self._size("circle", radius))

    def line(self, at: Any = None, along: Any = "x", moving: Any = 0) -> Shape:
        """A straight line without ends, solid on its right: along x, its outward normal is y.

        ``along``: "x", "y", "-x", "-y" or two components. ``moving`` (m/s) is the speed of its surface along itself,
        an expression of anything: a belt.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> wall = ground.line(at=(3, 0), along="y")
        >>> wall.seat.axes[1]  # its outward normal: what is solid is on the side of x
        (-1, 0, 0)
        >>> ground.line(moving=2).surface_velocity
        (2, 0)
        """
        from detent.model.plane_shapes import Line

        belt = (self._size("line", moving), 0)
        return Line(self._seat("line", at, along_x(self._where("line"), along)), surface_velocity=belt)

    def segment(self, start: Sequence[Any], end: Sequence[Any], at: Any = None, moving: Any = 0) -> Shape:
        """A straight piece between two places (x, y), with one face: on the left of the way from start to end.

        Its ends touch too. What is behind its face is not seen; a thin wall with two faces is two segments, or a
        polygon. ``moving`` is the speed of its surface from start to end.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> ground.segment((0, 0), (3, 4), moving=5).surface_velocity
        (3, 4)
        """
        from detent.model.plane_shapes import Segment

        first, last = (self._place("segment", place) for place in (start, end))
        x, y = last[0] - first[0], last[1] - first[1]
        speed, length = self._size("segment", moving), sympy.sqrt(x**2 + y**2)
        belt = (speed * x / length, speed * y / length) if speed != 0 else (0, 0)
        return Segment(self._seat("segment", at), first, last, surface_velocity=belt)

    def arc(self, radius: Any, start_angle: Any, end_angle: Any, at: Any = None, inside: bool = False) -> Shape:
        """A part of a circle, counter-clockwise from one angle to another (rad); a whole ring if they are 2 pi apart.

        Touched from outside, or with ``inside=True`` from inside, as a bowl is. Its ends touch too.

        >>> import detent
        >>> from sympy import pi
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> bowl, ring = (system.ground.arc(3, pi, end, inside=True) for end in (2 * pi, 3 * pi))
        >>> system.contact("disk|bowl", arm.circle(1), bowl).features
        ('side', 'start', 'end')
        >>> system.contact("disk|ring", arm.circle(1), ring).features  # it has no ends, and one place without a name
        ('',)
        """
        from detent.model.plane_shapes import Arc

        is_inside = self._flag("arc", "inside", inside)
        first, last = self._size("arc", start_angle), self._size("arc", end_angle)
        sweep = last - first
        whole = bool(sweep.is_number and sweep.is_finite and abs(sweep - 2 * sympy.pi) < 1e-12)
        return Arc(self._seat("arc", at), self._size("arc", radius), first, last, is_inside, whole)

    def polygon(self, *corners: Sequence[Any], at: Any = None) -> Shape:
        """A convex polygon by its corners (x, y), counter-clockwise.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> system.contact("wedge|floor", arm.polygon((0, 0), (2, 0), (0, 1)), system.ground.line()).features
        ('corner 1', 'corner 2', 'corner 3')
        """
        from detent.model.plane_shapes import Polygon

        return Polygon(self._seat("polygon", at), tuple(self._place("polygon", corner) for corner in corners))

    def track(self, start: Sequence[Any], *pieces: Any, at: Any = None, closed: bool = False) -> Shape:
        """Pieces one after another from a place (x, y): a place, to which it goes straight, or a :class:`Turn`.

        Its face is on the left of the way, as a segment's; corners and, unless it is ``closed``, its ends touch too.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> stairs = system.ground.track((0, 1), (1, 1), (1, 0), (3, 0))
        >>> system.contact("disk|stairs", arm.circle(0.2), stairs).features
        ('piece 1', 'piece 2', 'piece 3', 'corner 1', 'start', 'end')
        """
        return self._track(at, self._place("track", start), [self._piece(piece) for piece in pieces], closed)

    def curve(
        self,
        parameter: Any,
        x: Any,
        y: Any,
        between: Sequence[Any],
        at: Any = None,
        closed: bool = False,
        inside: bool = False,
    ) -> Shape:
        """The curve x(s), y(s) with s a symbol of its own, ``between`` two values; its face is on the left of its way.

        A ``closed`` curve goes round once: it is touched from outside, or with ``inside=True`` from inside, whichever
        way it goes. A body that touches it is in front of one point of it at a time, the nearest.

        >>> import detent
        >>> from sympy import Symbol, cos
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> s = Symbol("s")
        >>> road = system.ground.curve(s, s, 0.3 * cos(2 * s), between=(-1, 9))
        >>> system.contact("wheel|road", arm.circle(0.2), road).features
        ('side', 'start', 'end')
        """
        from detent.model.parametric_shapes import Curve, check_spread, checked_parameter, checked_range

        where = self._where("curve")
        symbol, (lowest, highest) = checked_parameter(where, parameter), checked_range(where, between)
        goes_round = self._flag("curve", "closed", closed)
        across, up = self._size("curve", x), self._size("curve", y)
        made = Curve(self._seat("curve", at), symbol, across, up, lowest, highest, goes_round)
        check_spread(where, made)
        return self._oriented(made, inside)

    def profile(
        self, points: Sequence[Sequence[Any]], at: Any = None, closed: bool = False, inside: bool = False
    ) -> Shape:
        """A smooth curve through points (x, y), given as numbers: cubic splines. As :meth:`curve` otherwise.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> hill = ground.profile([(0, 0), (1, 0.3), (2, 0.4), (3, 0.1), (4, 0)])
        >>> hill
        <curve of the frame 'ground'>
        >>> len(hill.parameters)  # that tells where on it a point is
        1
        """
        from detent.model.parametric_shapes import Curve, checked_range, spline_through

        goes_round = self._flag("curve", "closed", closed)
        parameter, x, y, between = spline_through(self._where("curve"), points, goes_round)
        low, high = checked_range(self._where("curve"), between)
        seat = self._seat("curve", at)
        made = Curve(seat, parameter, x, y, low, high, goes_round, straight_beyond=not goes_round)
        return self._oriented(made, inside)

    def drawing(self, name: str, points: int = MOST, at: Any = None) -> Shape:
        """A curve that is drawn while a run goes on, by :meth:`Simulation.draw`; before, it touches nothing.

        It goes smoothly through up to so many ``points`` (x, y). Its face is on the left of its way, as a segment's.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> fence = system.ground.drawing("fence", points=8)
        >>> system.contact("disk|fence", arm.circle(0.2), fence).features
        ('side', 'start', 'end')
        """
        from detent.model.parametric_shapes import Curve, checked_range

        where, symbol = self._where("curve"), sympy.Symbol("along")
        x, y, is_drawn = declared_curve(self.shape_seat()[1].system, name, points)
        low, high = checked_range(where, (0, 1))
        seat = self._seat("curve", at)
        return Curve(seat, symbol, x(symbol), y(symbol), low, high, straight_beyond=True, is_drawn=is_drawn)

    # -- in space -----------------------------------------------------------------------------

    def sphere(self, radius: Any, at: Any = None, inside: bool = False) -> Shape:
        """A ball; with ``inside=True`` a hollow in something solid, touched from inside.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> ground.sphere(2).kind, ground.sphere(2, inside=True).kind
        ('sphere', 'hollow sphere')
        """
        from detent.model.space_shapes import HollowSphere, Sphere

        kind = HollowSphere if self._flag("sphere", "inside", inside) else Sphere
        return kind(self._seat("sphere", at), self._size("sphere", radius))

    def plane(self, normal: Any = "z", at: Any = None, moving: Sequence[Any] = (0, 0)) -> Shape:
        """A plane without ends, solid behind it.

        ``normal`` points out of it: "x", "y", "z", one of these with a minus, or three numbers. The shape's own x and y
        follow in turn (for "x": y and z); ``moving`` gives the velocity of its surface along these, a belt.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> ground.plane("x").seat.axes  # its own x, y and z, which is its normal
        ((0, 1, 0), (0, 0, 1), (1, 0, 0))
        >>> ground.plane(moving=(0, 2)).surface_velocity
        (0, 2)
        """
        from detent.model.space_shapes import Plane

        first, second = self._place("plane", moving)
        axes = along_z(self._where("plane"), normal)
        return Plane(self._seat("plane", at, axes), surface_velocity=(first, second))

    def half_space(self, normal: Any = "z", at: Any = None, moving: Sequence[Any] = (0, 0)) -> Shape:
        """All that is behind a plane: another word for :meth:`plane`.

        >>> import detent
        >>> ground = detent.System("example").ground
        >>> ground.half_space("-y").kind
        'plane'
        """
        return self.plane(normal, at, moving)

    def capsule(self, radius: Any, length: Any, along: Any = "z", at: Any = None) -> Shape:
        """A rod with round ends; ``length`` is from the middle of one end to that of the other.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> system.contact("rod|floor", arm.capsule(0.1, 1, along="x"), system.ground.plane()).features
        ('end 1', 'end 2')
        """
        from detent.model.space_shapes import Capsule

        sizes = [self._size("capsule", value) for value in (radius, length)]
        return Capsule(self._seat("capsule", at, along_z(self._where("capsule"), along)), *sizes)

    def cylinder(self, radius: Any, length: Any, along: Any = "z", at: Any = None) -> Shape:
        """A cylinder with flat ends, its middle at its origin. On a plane its rims touch, or its flat ends.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> system.contact("can|floor", arm.cylinder(0.1, 1), system.ground.plane()).features  # an end: its face
        ('rim 1', 'rim 2', 'end 1', 'end 2')
        """
        from detent.model.space_shapes import Cylinder

        sizes = [self._size("cylinder", value) for value in (radius, length)]
        return Cylinder(self._seat("cylinder", at, along_z(self._where("cylinder"), along)), *sizes)

    def rim(self, radius: Any, along: Any = "z", at: Any = None) -> Shape:
        """A circle in space, about an axis: the edge of a thin disk, of a coin.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> system.contact("coin|table", arm.rim(0.01, along="x"), system.ground.plane()).features  # the lowest point
        ('',)
        """
        from detent.model.space_shapes import Rim

        return Rim(self._seat("rim", at, along_z(self._where("rim"), along)), self._size("rim", radius))

    def box(self, a: Any, b: Any, c: Any, at: Any = None) -> Shape:
        """A box with edges of these lengths along x, y and z, its middle at its origin.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> crate = arm.box(1, 2, 3)
        >>> len(system.contact("crate|floor", crate, system.ground.plane()).features)  # its corners
        8
        """
        from detent.model.space_shapes import Box

        sizes = [self._size("box", value) for value in (a, b, c)]
        return Box(self._seat("box", at), *sizes)

    def surface(
        self,
        parameters: Sequence[Any],
        x: Any,
        y: Any,
        z: Any,
        ranges: Sequence[Sequence[Any]],
        at: Any = None,
        closed: Sequence[bool] = (False, False),
    ) -> Shape:
        """The surface x(a, b), y(a, b), z(a, b), touched from the side to which dr/da x dr/db points.

        ``ranges`` are those of both symbols; ``closed`` says which of them comes back to its start, as an angle does.

        >>> import detent
        >>> from sympy import symbols
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> a, b = symbols("a b")
        >>> dish = system.ground.surface((a, b), a, b, a**2 + b**2, ranges=[(-1, 1), (-1, 1)])
        >>> system.contact("ball|dish", arm.sphere(0.1), dish).features
        ('side',)
        """
        from detent.model.parametric_shapes import Surface, check_spread, checked_parameter, checked_range

        where, given = self._where("surface"), (parameters, ranges, closed)
        if any(isinstance(each, str) or not isinstance(each, Sequence) or len(each) != 2 for each in given):
            raise DetentError(f"{where}: it needs two parameters, and a range and a word on closing for each of them")
        first, second = (checked_parameter(where, parameter) for parameter in parameters)
        functions = [self._size("surface", value) for value in (x, y, z)]
        between = (checked_range(where, ranges[0]), checked_range(where, ranges[1]))
        seat, both = self._seat("surface", at), tuple(self._flag("surface", "closed", each) for each in closed)
        made = Surface(seat, (first, second), functions[0], functions[1], functions[2], between, (both[0], both[1]))
        check_spread(where, made)
        return made

    # -- reading what is given ----------------------------------------------------------------

    def _where(self, kind: str) -> str:
        return f"{kind} of the {self.called}"

    def _size(self, kind: str, value: Any) -> Any:
        return read_expression(self._where(kind), value)

    def _flag(self, kind: str, name: str, value: Any) -> bool:
        if not _is_flag(value):
            raise DetentError(f"{self._where(kind)}: {name} is {value!r}; give True or False")
        return bool(value)

    def _place(self, kind: str, place: Any) -> Place:
        if isinstance(place, str) or not isinstance(place, Sequence) or len(place) != 2:
            raise DetentError(
                f"{self._where(kind)}: found {place!r} where two components were expected; give such as (1, 2)"
            )
        return (self._size(kind, place[0]), self._size(kind, place[1]))

    def _piece(self, piece: Any) -> Turn | Place:
        from detent.model.track import Turn

        if isinstance(piece, Turn):
            return Turn(self._place("track", piece.center), self._size("track", piece.angle))
        return self._place("track", piece)

    def _track(self, at: Any, start: Place, pieces: list[Turn | Place], closed: bool) -> Shape:
        from detent.model.track import Bend, Track, Turn, corners_sticking_out, joints_of

        if not pieces:
            where = self._where("track")
            raise DetentError(f"{where}: it has no piece; give a place or a detent.Turn after its start")
        goes_round = self._flag("track", "closed", closed)
        turns = tuple(piece if isinstance(piece, Turn) else None for piece in pieces)
        bends = tuple(
            Bend.STRAIGHT if turn is None else Bend.HOLLOW if self._number("track", turn.angle) > 0 else Bend.ROUND
            for turn in turns
        )
        made = Track(self._seat("track", at), joints_of(start, tuple(pieces)), turns, bends, (), goes_round)
        sizes = {name: self._number("track", value) for name, value in made.sizes.items()}
        return replace(made, corners=corners_sticking_out(sizes, bends, made.closed))

    def _number(self, kind: str, value: Any) -> float:
        """A value that decides of what kind of pieces a shape is made, with the parameters as they are declared."""
        given = self.shape_seat()[1].system.parameter_values
        try:
            return float(value.subs({symbol: given[symbol] for symbol in value.free_symbols}))
        except (KeyError, TypeError, ValueError):
            raise DetentError(
                f"{self._where(kind)}: {value} has no value yet; use numbers, or parameters with values"
            ) from None

    def _oriented(self, curve: Curve, inside: bool) -> Shape:
        """A closed curve with its face outside, or inside where that is wanted."""
        from detent.model.parametric_shapes import goes_round_to_the_left

        is_inside = self._flag("curve", "inside", inside)
        if not curve.closed:
            return curve
        given = self.shape_seat()[1].system.parameter_values
        return replace(curve, turned=goes_round_to_the_left(self._where("curve"), curve, given) is not is_inside)

    def _seat(self, kind: str, at: Any, axes: Axes = OWN) -> Seat:
        from detent.model.point import Point  # which imports frames, which are carriers
        from detent.model.shape import Seat

        origin, frame = self.shape_seat()
        if not isinstance(at, Point):
            return Seat(self, origin, frame, self._offset(kind, frame, at), axes)
        if at.system is not frame.system:
            raise DetentError(
                f"{self._where(kind)} of system '{frame.system.name}' is put at point '{at.name}' of system "
                f"'{at.system.name}'; points of two systems cannot be mixed"
            )
        return Seat(self, at, frame, (0, 0, 0), axes)

    def _offset(self, kind: str, frame: Frame, at: Any) -> Components:
        if at is None:
            return (0, 0, 0)
        if isinstance(at, Vector) and set(at.terms) <= {frame}:
            return at.terms.get(frame, (0, 0, 0))
        if isinstance(at, str) or not isinstance(at, Sequence) or len(at) not in (2, 3):
            raise DetentError(
                f"{self._where(kind)}: it is put at {at!r}; give a point, two or three components such as (1, 2), or a "
                f"vector along {frame.name}.x, {frame.name}.y and {frame.name}.z"
            )
        x, y, z = (self._size(kind, value) for value in (*at, 0)[:3])
        return (x, y, z)


def _is_flag(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    from numpy import bool_  # a model is written without it

    return isinstance(value, bool_)
