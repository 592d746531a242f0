"""What contacts did during a run, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError, UnknownNameError, listed
from detent.jit.arrays import FloatArray
from detent.model.box_features import met_features
from detent.model.contact import ContactStatus, feature_names, status_name

if TYPE_CHECKING:
    from detent.results.run import Run


@final
class Contacts(Mapping[str, "ContactCourse"]):
    """The contacts of a run by name; a place of one is also found by its whole name (``"box|floor corner 1"``).

    >>> import detent
    >>> system = detent.System("ball")
    >>> y = system.coordinates(y=1)
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> _ = system.contact("ball|floor", ball.point(), system.ground.line())
    >>> run = detent.simulate(system, until=1)
    >>> run.contacts
    <contacts: ball|floor>
    >>> float(run.contacts["ball|floor"].gap[0])
    1.0
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getitem__(self, name: str) -> ContactCourse:
        known = self._run.contact_features
        if name in known:
            return ContactCourse(self._run, name, {feature: _place(name, feature) for feature in known[name]})
        for contact, features in known.items():
            for feature in features:
                if name == _place(contact, feature):
                    return ContactCourse(self._run, name, {feature: name})
        raise UnknownNameError(str(name), known, what="contact")

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self[name])
        except UnknownNameError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._run.contact_features)

    def __len__(self) -> int:
        return len(self._run.contact_features)

    def __repr__(self) -> str:
        return f"<contacts: {', '.join(self) or 'none'}>"


@final
class ContactCourse(Mapping[str, "ContactCourse"]):
    """What one contact did: an array for each quantity, with a row for each node ``run.time``.

    A contact that may touch in several places is a mapping of them by their features:
    ``run.contacts["box|floor"]["corner 1"]``. At an event two nodes share a time: before it, and after it. Forces act
    on what carries the first shape, their opposites on the other.

    >>> import detent
    >>> system = detent.System("puck")
    >>> x, y = system.coordinates("x", "y")
    >>> puck = system.particle("puck", system.origin.offset("place", x*system.ground.x + y*system.ground.y), mass=2)
    >>> system.gravity(-10*system.ground.y)
    >>> _ = system.contact("puck|ice", puck.point(), system.ground.line(), friction=detent.Coulomb(0.1))
    >>> course = detent.simulate(system, until=3, start={"x_rate": 2}).contacts["puck|ice"]
    >>> [detent.ContactStatus(status).name for status in course.status[[0, -1]]]
    ['SLIP', 'STICK']
    >>> float(course.normal[0]), float(course.friction[0]), float(course.slip[0])
    (20.0, -2.0, 2.0)
    """

    def __init__(self, run: Run, name: str, places: dict[str, str]) -> None:
        self._run, self.name, self._places = run, name, places

    # -- quantities --------------------------------------------------------------------------------

    @property
    def status(self) -> NDArray[np.int64]:
        """What it does: values of :class:`detent.ContactStatus`, -1 (off), 0 (open), 1 (slip), 2 (stick)."""
        status: NDArray[np.int64] = self._run[status_name(self.place)].astype(np.int64)
        return status

    @property
    def features(self) -> list[str]:
        """Which features of two boxes meet there, in words (``"corner x y -z on face z"``), empty while it is open.

        Of other shapes it is the name of the place that tells it.
        """
        names = feature_names(self.place)
        if not all(name in self._run.discrete for name in names):
            return [next(iter(self._places))] * len(self._run.t)
        rows = np.stack([self._run[name] for name in names], axis=1).tolist()
        return [met_features(row) for row in rows]

    @property
    def gap(self) -> FloatArray:
        """How far apart the shapes are there, m; negative where they overlap, and behind a face with one side."""
        return self._run[f"gap of {self.place}"]

    @property
    def normal(self) -> FloatArray:
        """The normal force, N; zero where it is open, NaN where the constraints leave it unknown."""
        unknown = np.full(len(self._run.t), np.nan)
        reaction = self._run.reactions.get(f"{self.place}.normal", unknown)
        known = ~np.isnan(reaction)  # without statuses too, where forces depend on gaps
        normal: FloatArray = np.where((self.status > ContactStatus.OPEN) | known, reaction, 0.0)
        return normal

    @property
    def friction(self) -> FloatArray:
        """Friction, N: along the tangent; in space two columns, along both tangents."""
        return self._along("frictions")

    @property
    def slip(self) -> FloatArray:
        """The velocity of the first shape's surface against that of the second, m/s: along the same tangents."""
        return self._along("slips")

    @property
    def point(self) -> FloatArray:
        """Where it touches or is nearest, m: three columns, along x, y and z of the ground, from the origin."""
        return self._vector("points")

    @property
    def force(self) -> FloatArray:
        """Normal force and friction together, N: three columns, along x, y and z of the ground."""
        return self._vector("forces")

    @property
    def rolling(self) -> FloatArray:
        """The moment against rolling, N m: in the plane counter-clockwise; in space two columns, about both tangents.

        Zero where nothing resists that.
        """
        if self._planar:
            return self._run.moments.get(self.place, np.zeros(len(self._run.t)))
        names = [f"{self.place}.{number}" for number in (1, 2)]
        if names[0] not in self._run.moments:
            return np.zeros((len(self._run.t), 2))
        return _joined(self._run.moments, names)

    @property
    def spinning(self) -> FloatArray:
        """The moment against spinning, in space, N m, about the normal; zero where nothing resists that."""
        nothing = np.zeros(len(self._run.t))
        return nothing if self._planar else self._run.moments.get(self.place, nothing)

    @property
    def place(self) -> str:
        """The name of the only place."""
        if len(self._places) != 1:
            raise DetentError(
                f"contact '{self.name}' may touch in {len(self._places)} places; choose one of them by its name, such "
                f"as run.contacts['{self.name}']['{next(iter(self._places))}']: {listed(self._places)}"
            )
        return next(iter(self._places.values()))

    @property
    def _planar(self) -> bool:
        return self.place in self._run.slips

    def _along(self, column: str) -> FloatArray:
        known: Mapping[str, FloatArray] = getattr(self._run, column)
        if self.place in known:
            return known[self.place]
        return _joined(known, [f"{self.place}.{number}" for number in (1, 2)])

    def _vector(self, column: str) -> FloatArray:
        return _joined(getattr(self._run, column), [f"{self.place}.{axis}" for axis in "xyz"])

    # -- places ------------------------------------------------------------------------------------

    def __getitem__(self, feature: str) -> ContactCourse:
        for known, place in self._places.items():
            if feature in (known, place):
                return ContactCourse(self._run, place, {known: place})
        raise UnknownNameError(str(feature), self._places, what=f"place of contact '{self.name}'")

    def __contains__(self, feature: object) -> bool:
        return feature in self._places or feature in self._places.values()

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        where = f": {listed(self._places)}" if len(self._places) > 1 else ""
        return f"<contact '{self.name}'{where}>"


def _place(contact: str, feature: str) -> str:
    return f"{contact} {feature}" if feature else contact


def _joined(known: Mapping[str, Any], names: list[str]) -> FloatArray:
    missing = [name for name in names if name not in known]
    if missing:  # a file may say anything
        raise UnknownNameError(missing[0], known, what="place of contact with such a quantity")
    columns: FloatArray = np.stack([known[name] for name in names], axis=1)
    columns.flags.writeable = False
    return columns
