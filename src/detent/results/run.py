"""The result of a simulation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, final

from numpy.typing import ArrayLike

from detent.errors import DetentError, UnknownNameError, listed
from detent.jit.arrays import FloatArray
from detent.results.audit import Audit
from detent.results.by_name import ByName, name_of
from detent.results.columns import COLUMNS, at_nodes
from detent.results.dataset import data_frame, dataset
from detent.results.event import EventLog
from detent.results.json_values import json_object
from detent.results.layout import StateLayout
from detent.results.outcome import Outcome
from detent.results.save import save
from detent.results.state import State
from detent.results.summary import html_text, one_line, summary
from detent.results.timing import Timing
from detent.results.trajectory import Trajectory
from detent.results.visits import Visit, visits

if TYPE_CHECKING:
    import pandas
    import xarray

    from detent.hybrid.automaton import Automaton
    from detent.model.system import System
    from detent.results.contacts import Contacts

CONTRACT: Final = ("example", "parameters", "until", "outcome", "events", "final", "audit", "timing")
"""What ``detent run --json`` always prints, in this order; other columns follow where there is something in them."""


@final
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Run(ByName):
    """What a simulation gives back: the motion by name, its events and its audit.

    ``run.q1`` (or ``run["q1"]``) holds a coordinate, speed or signal at the nodes ``run.t``, the accepted steps;
    ``run.at(t)`` gives the state at any time. At a jump two nodes share one time: before it, then after it.
    ``rtol`` and ``atol`` belong to the adaptive methods, ``step`` (s) to those of fixed step; the others are None.
    ``mode`` is the mode at the end; ``timing`` is None in a run that was loaded from a file. Every field but the
    trajectory is a column, which :data:`detent.results.columns.COLUMNS` describes.

    >>> from detent.results import sample_run
    >>> run = sample_run()
    >>> run.v.tolist()
    [5.0, -5.0, 2.5, 0.0]
    >>> run.energy.tolist()
    [12.5, 12.5, 3.125, 3.125]
    >>> run
    <Run 'thrown-stone': completed at t = 1.25, 4 nodes>
    """

    name: str
    parameters: dict[str, float]
    start: dict[str, float]
    until: float
    method: str
    rtol: float | None = None
    atol: float | None = None
    step: float | None = None
    outcome: Outcome
    message: str = ""
    trajectory: Trajectory
    mode: str
    events: EventLog
    kinetic: FloatArray
    potential: FloatArray
    reactions: Mapping[str, FloatArray] = field(default_factory=dict)
    """The reaction of each constraint's row at the nodes, by name; NaN where it was not active."""
    discrete: dict[str, FloatArray] = field(default_factory=dict)
    """Each discrete state at the nodes, by name."""
    contact_features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The places where each contact may touch; ``contacts`` has what they did."""
    gaps: dict[str, FloatArray] = field(default_factory=dict)
    slips: dict[str, FloatArray] = field(default_factory=dict)
    frictions: dict[str, FloatArray] = field(default_factory=dict)
    points: dict[str, FloatArray] = field(default_factory=dict)
    forces: dict[str, FloatArray] = field(default_factory=dict)
    moments: dict[str, FloatArray] = field(default_factory=dict)
    inputs: dict[str, FloatArray] = field(default_factory=dict)
    """Each input that is a number, held or sampled, at the nodes, by name."""
    loads: dict[str, FloatArray] = field(default_factory=dict)
    """Of each load that comes and goes whether it acts at the nodes, 1 or 0."""
    units: dict[str, str] = field(default_factory=dict)
    """The units of quantities, by name, where the model gives them."""
    audit: Audit
    near_misses: EventLog = field(default_factory=EventLog)
    """When the guard of a transition came nearer to zero than the integration is exact, and did not pass it: there the
    computed motion decided."""
    remarks: tuple[str, ...] = ()
    """What makes the run doubtful or slow, each with its remedy."""
    timing: Timing | None = None
    model: System | Automaton | None = None
    """What ran, from which values of expressions follow; None in a run from a file or another process."""

    def __post_init__(self) -> None:
        nodes = self.trajectory.time.shape
        for column, quantity in at_nodes():
            if quantity.follows is None:
                object.__setattr__(self, column.name, quantity.checked(getattr(self, column.name), nodes))
        names = self.names
        if len(set(names)) != len(names):
            repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            raise DetentError(f"the run has more than one {listed(repeated)}; give every quantity its own name.")
        object.__setattr__(self, "remarks", tuple(map(str, self.remarks)))
        for group in ("parameters", "start"):
            plain = {name: float(value) for name, value in getattr(self, group).items()}
            object.__setattr__(self, group, plain)

    @property
    def layout(self) -> StateLayout:
        """Which quantities the state has, and in which order."""
        return self.trajectory.layout

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all quantities: the time, the state, discrete states, the energies, reactions of constraints."""
        return ("time", *self.layout.names, *(name for column, _ in at_nodes() for name in column.names(self)))

    def __getitem__(self, key: Any) -> FloatArray:
        name = name_of(key)
        if name in ("time", "t"):
            return self.trajectory.time
        if name in self.layout.names:
            return self.trajectory.state[:, self.layout.column(name)]
        for column, _ in at_nodes():
            numbers = column.numbers(self, name)
            if numbers is not None:
                return numbers
        raise UnknownNameError(name, self.names)

    def at(self, times: ArrayLike) -> State:
        """The state at one time (floats by name) or at many (arrays by name); at a jump, the state after it.

        >>> from detent.results import sample_run
        >>> sample_run().at(1.0).v
        2.5
        >>> sample_run().at([0.0, 0.5]).y.tolist()
        [0.0, 1.25]
        """
        return State(self.layout, times, self.trajectory.at(times))

    def value(self, expression: Any, times: ArrayLike | None = None) -> Any:
        """The values of an expression at the nodes, or at some times (s): at one a float, at many an array.

        It may be a SymPy expression in the model's quantities, measures, reactions and contacts; a vector such as
        ``tip.velocity()``, which gives three columns, along the ground's axes; or a text: a name of the run, arithmetic
        of such names (those that are no plain words in quotes), and parts of points, bodies and frames
        (``tip.x``, ``tip.velocity.y``, ``arm.angular_velocity.z``). A reaction is NaN where its row is not active.

        Between the nodes the state is interpolated, and the expression worked out from that state. A run without its
        model (``run.model`` is None) knows what it keeps; :meth:`with_model` gives it the rest.

        >>> import detent
        >>> run = detent.example("pendulum").simulate(until=1)
        >>> bob = run.model.bodies["bob"].center
        >>> run.value(bob.velocity(), [0, 0.5, 1]).shape
        (3, 3)
        >>> run.value("cos(angle)**2 + sin(angle)**2", 0.5)
        1.0
        """
        from detent.simulation.values import value_along

        return value_along(self, expression, times)

    def with_model(self, model: System | Automaton) -> Run:
        """The same run with the system or automaton that was run, for one that came from a file.

        >>> import detent
        >>> from detent.results import sample_run
        >>> system = detent.System("stone")
        >>> _ = system.parameters(m=1, g=10)
        >>> y = system.coordinates("y")
        >>> v = system.speeds(v=y.rate)
        >>> stone = system.particle("stone", system.origin.offset("stone", y*system.ground.y), mass=1)
        >>> sample_run().with_model(system).value(stone.center.acceleration().dot(system.ground.y), 0.5)
        0.0
        """
        from detent.simulation.values import Values

        Values(self, model)
        return replace(self, model=model)

    @property
    def modes(self) -> tuple[Visit, ...]:
        """The stretches of the run in its modes, each with its start and end (s).

        >>> from detent.results import sample_run
        >>> sample_run().modes
        (Visit(mode='flight', start=0.0, end=1.25),)
        """
        return visits(self)

    @property
    def contacts(self) -> Contacts:
        """What contacts did, by their names: arrays over the nodes.

        >>> from detent.results import sample_run
        >>> sample_run().contacts
        <contacts: none>
        """
        from detent.results.contacts import Contacts  # most runs have none

        return Contacts(self)

    @property
    def final(self) -> State:
        """The state at the end of the run."""
        return State(self.layout, self.trajectory.time[-1], self.trajectory.state[-1])

    def to_xarray(self) -> xarray.Dataset:
        """The nodes as an xarray Dataset over ``time``; needs the extra ``files``.

        >>> from detent.results import sample_run
        >>> sample_run().to_xarray().y.attrs
        {'kind': 'coordinate'}
        """
        return dataset(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The nodes as a pandas DataFrame indexed by ``time``; needs the extra ``files``.

        >>> from detent.results import sample_run
        >>> list(sample_run().to_pandas().columns)[:4]
        ['y', 'v', 'work', 'kinetic_energy']
        """
        return data_frame(self)

    def to_csv(
        self, path: str | os.PathLike[str], columns: Sequence[Any] | Mapping[str, Any] | None = None,
        times: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """Write a table of text: the time, and a column for each name or expression, at the nodes or at times (s).

        ``columns`` are what :meth:`value` takes, or such by the names that they are to have in the table; without them
        there is one for each of ``names``. The first line has the names, with units where they are known. The file is
        there whole or not at all, and every number comes back to the bit.

        >>> import tempfile
        >>> from pathlib import Path
        >>> from detent.results import sample_run
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sample_run().to_csv(f"{folder}/stone.csv", {"height": "y", "potential_energy": "m*g*y"}, times=[0, 0.5])
        ...     print(Path(folder, "stone.csv").read_text())
        time [s],height,potential_energy
        0.0,0.0,0.0
        0.5,1.25,12.5
        <BLANKLINE>
        """
        from detent.simulation.named_values import write_values

        write_values(self, path, columns, times)

    def plot(
        self, *of: Any, path: str | os.PathLike[str] | None = None, against: Any = None,
        between: tuple[float, float] | None = None,
    ) -> Any:  # fmt: skip
        """Draw names and expressions, all that is usual without any: see :func:`detent.plot`. Needs the extra ``plot``.

        >>> import detent
        >>> run = detent.example("pendulum").simulate(until=1)
        >>> portrait = run.plot("angle_rate", against="angle")
        >>> portrait.axes[0].get_xlabel()
        'angle [rad]'
        """
        from detent.view.plot import plot

        return plot(self, path, of or None, between=between, against=against)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the timing to a NetCDF file, see :func:`detent.results.save`."""
        save(self, path)

    def summary(self) -> str:
        """What ran, how it ended and how far it can be trusted, in a few lines of text.

        >>> from detent.results import sample_run
        >>> print(sample_run().summary().splitlines()[0])
        thrown-stone: completed at t = 1.25 with rk4 (step 1), mode 'flight'
        """
        return summary(self)

    def as_json(self) -> dict[str, Any]:
        """The object that ``detent run --json`` prints; numbers that are not finite are null.

        >>> from detent.results import sample_run
        >>> sample_run().as_json()["final"]["coordinates"]
        {'y': 0.3125}
        """
        printed = {"final": self._final_values()} | {
            column.printed.key: column.printed.write(getattr(self, column.name))
            for column in COLUMNS
            if column.printed is not None
        }
        contract = {key: printed.pop(key) for key in CONTRACT}
        return json_object(contract | {key: value for key, value in printed.items() if value})

    def _final_values(self) -> dict[str, Any]:
        """The state at the end by groups of names, with what is held."""
        state, layout = self.final.as_dict(), self.layout
        groups = {"coordinates": layout.coordinates, "speeds": layout.speeds, "signals": layout.signals}
        held = {
            column.name: {name: float(row[-1]) for name, row in getattr(self, column.name).items()}
            for column, quantity in at_nodes()
            if quantity.held
        }
        return {
            "t": self.final.time,
            "mode": self.mode,
            **{group: {name: state[name] for name in names} for group, names in groups.items()},
            **{name: values for name, values in held.items() if values},
        }

    def __getstate__(self) -> dict[str, Any]:
        # A model has compiled code, which stays where it is; a run goes to another process as it goes to a file.
        return vars(self) | {"model": None}

    def __copy__(self) -> Run:
        return replace(self)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return html_text(self)
