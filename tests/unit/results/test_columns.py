"""What a run has is described once, and everything that shows, saves or reads a run goes by that."""

import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.errors import DetentError, ResultFileError
from detent.results import Event, EventLog, Run, StateLayout, load
from detent.results.column import OLDEST, Column
from detent.results.columns import COLUMNS, FORMAT, at_nodes
from detent.results.contents import LENGTH_DIGITS, read_contents
from detent.results.load import read_run
from detent.results.run import CONTRACT
from detent.results.seal import seal

SAVED = [column for column in COLUMNS if column.saved is not None]
NODES = [column for column, _ in at_nodes()]
ROOT = Path(__file__).parents[3]


def ids(column: Column) -> str:
    return column.name


@pytest.fixture
def full(stone: Run) -> Run:
    """A run with something in every column."""
    return dataclasses.replace(
        stone,
        message="as it was told",
        rtol=1e-9,
        atol=1e-11,
        reactions={"floor": np.array([np.nan, 1.0, 2.0, 3.0])},
        discrete={"count": np.array([0.0, 0.0, 1.0, 1.0]), "status of stone|floor": np.zeros(4)},
        inputs={"push": np.array([1.0, 1.0, 2.0, 2.0])},
        loads={"brake": np.array([0.0, 0.0, 1.0, 1.0])},
        units={"y": "m"},
        contact_features={"stone|floor": ("",)},
        gaps={"stone|floor": stone.y},
        slips={"stone|floor": np.zeros(4)},
        frictions={"stone|floor": np.zeros(4)},
        points={f"stone|floor.{axis}": np.zeros(4) for axis in "xyz"},
        forces={f"stone|floor.{axis}": np.zeros(4) for axis in "xyz"},
        moments={"stone|floor": np.zeros(4)},
        near_misses=EventLog([Event(0.5, "near miss", "ceiling", "flight", "flight", {"size": 1e-9})]),
        remarks=("the ball is soft",),
    )


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.tobytes() == other.tobytes()
    if isinstance(one, dict) and one and isinstance(next(iter(one.values())), np.ndarray):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def test_every_field_of_a_run_but_the_motion_is_a_column() -> None:
    kept = [column.name for column in COLUMNS if column.quantity is None or column.quantity.follows is None]
    assert {field.name for field in dataclasses.fields(Run)} == {*kept, "trajectory"}


def test_no_two_columns_have_a_name_in_common() -> None:
    for names in (
        [column.name for column in COLUMNS],
        [column.saved.key for column in SAVED if column.saved is not None],
        [column.printed.key for column in COLUMNS if column.printed is not None],
        [quantity.name for _, quantity in at_nodes() if quantity.name],  # a model's own names are unique by themselves
    ):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("column", COLUMNS, ids=ids)
def test_a_column_describes_itself_whole(column: Column) -> None:
    assert column.meaning
    assert (column.per == "node") == (column.quantity is not None)
    assert OLDEST <= column.since <= FORMAT
    defaults = (dataclasses.MISSING, dataclasses.MISSING)
    fields = {field.name: (field.default, field.default_factory) for field in dataclasses.fields(Run)}
    if column.since > OLDEST:
        assert fields[column.name] != defaults, "a run from an older file has no value for it"


@pytest.mark.parametrize("column", [column for column in COLUMNS if column.is_in_files], ids=ids)
def test_every_column_comes_back_from_a_file(full: Run, column: Column, tmp_path: Path) -> None:
    full.save(tmp_path / "run.nc")
    value = getattr(full, column.name)
    assert column.name == "rtol" or len(np.atleast_1d(np.asarray(value, dtype=object))) > 0
    assert same(value, getattr(load(tmp_path / "run.nc"), column.name))


@pytest.mark.parametrize("column", NODES, ids=ids)
def test_numbers_at_the_nodes_have_names_in_the_run_and_whatever_shows_it(full: Run, column: Column) -> None:
    data, frame = full.to_xarray(), full.to_pandas()
    names = list(column.names(full))
    assert names
    for name in names:
        assert name in full.names
        np.testing.assert_array_equal(data[name], full[name])
        np.testing.assert_array_equal(frame[name], full[name])
        assert data[name].attrs == column.attributes
        figure = detent.plot(full, names=[name])
        assert [axes.get_ylabel() for axes in figure.axes] == [column.panel]


@pytest.mark.parametrize("column", [column for column in NODES if column.is_in_files], ids=ids)
def test_there_is_one_number_for_each_node(full: Run, column: Column) -> None:
    short = np.zeros(3) if column.saved is None else {"x": np.zeros(3)}
    with pytest.raises(DetentError, match=r"has shape \(3,\), expected \(4,\); give one value for each node"):
        dataclasses.replace(full, **{column.name: short})


def test_the_json_has_its_contract_and_what_more_there_is(stone: Run, full: Run) -> None:
    assert tuple(stone.as_json()) == CONTRACT
    printed = {column.printed.key for column in COLUMNS if column.printed is not None}
    assert set(full.as_json()) == printed | {"final"}
    assert full.as_json()["final"]["discrete"] == {"count": 1.0, "status of stone|floor": 0.0}


def altered(whole: bytes, change: Any, file_format: int = FORMAT) -> bytes:
    """The same file with other contents, sealed again."""
    body = whole[: -len(seal(b""))]
    length = int(body[-LENGTH_DIGITS:])
    data, text = body[: -LENGTH_DIGITS - 2 - length], body[-LENGTH_DIGITS - 1 - length : -LENGTH_DIGITS - 1]
    contents = json.loads(text)
    change(contents)
    text = json.dumps(contents).encode()
    body = data + b"\n" + text + f"\n{len(text):0{LENGTH_DIGITS}d}".encode()
    return body + seal(body, file_format=file_format)


@pytest.mark.parametrize("column", SAVED, ids=ids)
def test_what_cannot_stand_in_a_column_is_refused(full: Run, column: Column, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    full.save(path)
    whole, key = path.read_bytes(), column.saved.key if column.saved is not None else ""
    for unfit in ([[{}]], True, "\ud800", {"": []}):
        path.write_bytes(altered(whole, lambda contents, unfit=unfit: contents["run"].update({key: unfit})))
        with pytest.raises(ResultFileError, match=rf"its description\.{key}|name in description\.{key}"):
            load(path)
    path.write_bytes(altered(whole, lambda contents: contents["run"].pop(key)))
    with pytest.raises(ResultFileError, match="its description is a table of"):
        load(path)


@pytest.mark.parametrize("column", [column for column in NODES if column.is_in_files], ids=ids)
def test_a_file_without_the_numbers_of_a_column_is_refused(full: Run, column: Column, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    full.save(path)
    whole = path.read_bytes()
    for name in column.names(full):
        path.write_bytes(altered(whole, lambda contents, name=name: contents["arrays"].pop(name)))
        with pytest.raises(ResultFileError, match=f"'{name}' with 1 dimensions"):
            load(path)


def test_a_file_from_before_a_column_is_read_and_the_column_is_not_known(full: Run, tmp_path: Path) -> None:
    path, new = tmp_path / "run.nc", ("remarks", "near_misses", "discrete")
    full.save(path)
    whole = path.read_bytes()

    def without(contents: Any) -> None:
        for key in ("remarks", "near_misses", "discrete"):
            del contents["run"][key]
        del contents["arrays"]["count"]
        del contents["arrays"]["status of stone|floor"]

    grown = [dataclasses.replace(column, since=FORMAT + 1) if column.name in new else column for column in COLUMNS]

    def read(content: bytes, file_format: int) -> Run:
        file = io.BytesIO(content)
        return read_run(read_contents(file, len(content) - len(seal(b""))), file, file_format, grown)

    old = read(altered(whole, without), FORMAT)
    assert (old.remarks, old.near_misses, old.discrete) == ((), EventLog(), {})
    assert same(old.kinetic, full.kinetic)
    assert same(old.potential, full.potential)
    again = read(whole, FORMAT + 1)
    assert all(same(getattr(again, name), getattr(full, name)) for name in new)
    with pytest.raises(
        Exception, match="its description is a table of"
    ):  # what is whole in one format is not in another
        read(whole, FORMAT)


def test_a_file_from_before_contacts_is_read_and_tells_of_none(full: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    full.save(path)
    new = [column for column in COLUMNS if column.since >= 3]

    def as_before(contents: Any) -> None:
        for column in new:
            del contents["run"][column.saved.key if column.saved is not None else ""]
            for name in column.names(full):
                del contents["arrays"][name]
        for name in ("largest_cone_excess", "complementarity"):
            del contents["run"]["audit"][name]

    path.write_bytes(altered(path.read_bytes(), as_before, file_format=2))
    old = load(path)
    assert len(new) == 10
    assert (old.inputs, old.loads, old.units) == ({}, {}, {})
    assert list(old.contacts) == []
    assert old.audit == dataclasses.replace(full.audit, largest_cone_excess=None, complementarity=None)
    assert same(old.discrete, full.discrete)


def test_a_simulation_fills_every_column_at_the_nodes() -> None:
    system = detent.System("block on a table")
    x, y = system.coordinates("x", "y")
    system.discrete("count", 2)
    system.input("push", 1)
    place = system.origin.offset("block", x * system.ground.x + y * system.ground.y)
    block = system.particle("block", place, mass=1)
    system.gravity(-10 * system.ground.y)
    system.constrain(detent.holonomic("y", y))
    system.contact("block|wall", block.point(), system.ground.line(at=(2, 0), along="y"))
    turn = system.coordinates("turn")
    wheel = system.body("wheel", system.origin, system.ground.rotated("wheel", turn), mass=1, inertia=1)
    law = detent.Coulomb(0.1, rolling=0.01)
    system.contact("wheel|wall", wheel.circle(0.5), system.ground.line(at=(2, 0), along="y"), friction=law)
    system.force("gust", block, system.ground.x, active=False)
    system.start(x_rate=1.0)
    run = detent.simulate(system, until=1)
    for column in NODES:
        names = list(column.names(run))
        assert names, column.name
        assert all(np.isfinite(run[name]).all() for name in names)
    # A row may be named as a coordinate is: the coordinate is y, the table pushes with the weight.
    assert run["y"].tolist() == [0.0] * len(run.t)
    np.testing.assert_allclose(run["reaction of y"], 10.0, rtol=1e-12)


def test_a_quantity_cannot_have_the_name_of_another(stone: Run) -> None:
    for name in ("y", "time", "energy"):
        with pytest.raises(DetentError, match=f"the run has more than one {name}; give every quantity its own name"):
            dataclasses.replace(stone, discrete={name: np.zeros(4)})


def test_the_names_of_columns_are_kept_from_states() -> None:
    for name in ("time", "t", "work", *(quantity.name for _, quantity in at_nodes() if not quantity.several)):
        with pytest.raises(DetentError, match=f"cannot have a quantity named '{name}'"):
            StateLayout((name,), ())


def test_the_documentation_lists_every_column() -> None:
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|$", page, re.MULTILINE)
    listed = {row[0]: tuple(text.strip() for text in row) for row in rows}
    expected = {column.name: (column.name, column.per, column.unit, column.meaning) for column in COLUMNS}
    assert {name: listed.get(name) for name in expected} == expected
