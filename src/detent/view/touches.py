"""Where contacts touch along a run, and with what force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.jit.arrays import FloatArray
from detent.model.contact import ContactStatus
from detent.results.run import Run
from detent.simulation.values import Values
from detent.view.contact_scene import between_nodes


@final
@dataclass(frozen=True, eq=False)
class Touches:
    """The places that ever touch, at each time: where they are, the force on what carries the first shape.

    ``points`` and ``forces`` are (times, places, 3), m and N; ``touching`` is (times, places). A force is zero where
    its place does not touch, and where the constraints leave it unknown.
    """

    names: tuple[str, ...]
    points: FloatArray
    forces: FloatArray
    touching: NDArray[np.bool_]

    @property
    def largest(self) -> float:
        """The largest force, N."""
        return float(np.linalg.norm(self.forces, axis=2).max(initial=0.0))


def touches_of(values: Values, run: Run, times: FloatArray) -> Touches | None:
    """What contacts do at some times; None where none of them ever touches.

    >>> import detent
    >>> run = detent.example("disk-on-ramp-contact").simulate(until=1)
    >>> touches_of(Values(run, run.model), run, np.array([0.0, 1.0])).touching.tolist()
    [[True], [True]]
    """
    every = [course for contact in run.contacts.values() for course in contact.values()]
    courses = [course for course in every if (course.status > ContactStatus.OPEN).any()]
    if not courses:
        return None
    node = np.searchsorted(run.t, times, side="right") - 1
    touching = np.stack([course.status[node] > ContactStatus.OPEN for course in courses], axis=1)
    words = [
        f"{before} of {c.place}.{axis}" for c in courses for before in ("point", "contact force") for axis in "xyz"
    ]
    try:
        found = values.over(words, times)
    except DetentError:  # some of what was imposed on the way is known at the nodes alone
        known = np.concatenate([part for course in courses for part in (course.point, course.force)], axis=1)
        found = between_nodes(run, known, times)
    rows = found.reshape(len(times), len(courses), 2, 3)
    forces = np.where(touching[:, :, None], np.nan_to_num(rows[:, :, 1]), 0.0)
    return Touches(tuple(course.place for course in courses), rows[:, :, 0], forces, touching)
