"""What is saved comes back bit for bit, and what is damaged is refused."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detent.errors import MissingExtraError, ResultFileError
from detent.results import Audit, Event, EventLog, Outcome, Run, StateLayout, Trajectory, load, sample_run, save
from detent.results.contents import LENGTH_DIGITS
from detent.results.seal import FORMAT, seal
from tests.unit.results.other_nodes import numbers_not_known


def bits(run: Run) -> list[bytes]:
    trajectory = run.trajectory
    arrays = [trajectory.time, trajectory.state, trajectory.rate, run.kinetic, run.potential]
    dense = [] if trajectory.dense is None else [trajectory.dense, np.array(trajectory.dense.shape)]
    return [array.tobytes() for array in arrays + dense]


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Runs of every size with any bits in their states, NaN and subnormals included."""
    layout = StateLayout(("θ", "q 2")[: draw(st.integers(0, 2))], ("u",)[: draw(st.integers(0, 1))], ("e0",))
    count, rows = draw(st.integers(1, 5)), draw(st.sampled_from([None, 0, 1, 4]))
    numbers = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def any_bits(*shape: int) -> np.ndarray:
        return numbers.integers(0, 2**64, shape, dtype=np.uint64).view(np.float64)

    dense = None if rows is None else any_bits(count - 1, rows, layout.width)
    start = np.sort(numbers.normal(size=count))
    trajectory = Trajectory(layout, start, any_bits(count, layout.width), any_bits(count, layout.width), dense)
    number = st.floats(allow_nan=False)
    return dataclasses.replace(
        sample_run(),
        name=draw(st.text(st.characters(exclude_categories=["Cs", "Cc"]))),
        message=draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50)),
        parameters=draw(st.dictionaries(st.text(max_size=3), number, max_size=3)),
        step=draw(st.none() | st.floats(1e-9, 1.0)),
        rtol=draw(st.none() | st.floats(1e-15, 1.0)),
        outcome=draw(st.sampled_from(Outcome)),
        trajectory=trajectory,
        events=EventLog(
            Event(0.5, "impact", name, "a", "b", {"x": draw(number)}) for name in draw(st.lists(st.text()))
        ),
        **(numbers_not_known() | {"kinetic": numbers.random(count), "potential": numbers.random(count)}),
        audit=Audit(draw(number), 0.0, draw(number), draw(st.none() | number), 1.0),
    )


@settings(max_examples=25, deadline=None)
@given(run=runs())
def test_a_run_comes_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, run: Run) -> None:
    path = tmp_path_factory.mktemp("files") / "run.nc"
    run.save(path)
    again = load(path)
    assert bits(again) == bits(run)
    for field in dataclasses.fields(Run):
        if field.name not in ("trajectory", "timing", *numbers_not_known()):
            assert getattr(again, field.name) == getattr(run, field.name), field.name
    assert again.layout == run.layout
    assert again.timing is None


def test_a_loaded_run_interpolates_with_the_same_bits(stone: Run, tmp_path: Path) -> None:
    numbers = np.random.default_rng(1)
    trajectory = dataclasses.replace(stone.trajectory, dense=numbers.normal(size=(3, 4, 3)))
    run = dataclasses.replace(stone, trajectory=trajectory)
    run.save(tmp_path / "run.nc")
    asked = np.linspace(0.0, 1.25, 101)
    assert load(tmp_path / "run.nc").at(asked).values.tobytes() == run.at(asked).values.tobytes()


def test_the_same_run_gives_the_same_bytes(stone: Run, tmp_path: Path) -> None:
    stone.save(tmp_path / "first.nc")
    time.sleep(1.1)  # HDF5 counts whole seconds where it keeps a time
    dataclasses.replace(stone, timing=None).save(tmp_path / "second.nc")
    script = "import sys; from detent.results import sample_run; sample_run().save(sys.argv[1])"
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", script, tmp_path / "third.nc"], check=True, env=environment)
    first, second, third = (tmp_path.joinpath(f"{name}.nc").read_bytes() for name in ("first", "second", "third"))
    assert first == second == third


def test_other_programs_can_read_the_file(stone: Run, tmp_path: Path) -> None:
    stone.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as nodes:
        np.testing.assert_array_equal(nodes.time, stone.t)
        np.testing.assert_array_equal(nodes.y, stone.y)
        assert json.loads(nodes.attrs["parameters"]) == stone.parameters


KILLED = """
import os, random, signal, sys, time
import numpy as np
from dataclasses import replace
from detent.results import Trajectory, load, sample_run

path, count = sys.argv[1], 20_000
folder = os.path.dirname(path)
def run_of(value):
    stone = sample_run()
    trajectory = Trajectory(stone.layout, np.linspace(0, 1, count), np.full((count, 3), value),
                            np.zeros((count, 3)), np.zeros((count - 1, 4, 3)))
    return replace(stone, trajectory=trajectory, kinetic=np.zeros(count), potential=np.zeros(count))

def being_written(known):
    return (set(os.listdir(folder)), os.path.getsize(path)) != known

old, new = run_of(1.0), run_of(2.0)
delay = random.Random(1)
seen = []
for attempt in range(25):
    old.save(path)
    known = set(os.listdir(folder)), os.path.getsize(path)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # it ends by itself should nobody be left to kill it
        while True:
            new.save(path)
            old.save(path)
    # Most of a save is spent before the first byte is written; wait for a file that is being written.
    patience = time.monotonic() + 1.0
    while not being_written(known) and time.monotonic() < patience:
        pass
    time.sleep(delay.uniform(0.0, 0.004))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    state = load(path).trajectory.state
    assert state.min() == state.max(), "a mixture of two files"
    seen.append(state[0, 0])
left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
print(len(left), *sorted(set(seen)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed between two system calls by forking it")
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "run.nc")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    unfinished, *seen = done.stdout.split()
    assert int(unfinished) > 0, "no kill fell into the writing of a file, so nothing was tested"
    assert set(seen) <= {"1.0", "2.0"}


FULL = """
import resource, sys
from detent.errors import ResultFileError
from detent.results import sample_run

limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
try:
    sample_run().save(sys.argv[1])
except ResultFileError as error:
    sys.exit(3)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands for a full disk")
@pytest.mark.parametrize("share", [0.3, 0.999])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(stone: Run, tmp_path: Path, share: float) -> None:
    path = tmp_path / "run.nc"
    stone.save(path)
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", FULL, path, str(int(share * len(before)))], check=False)
    assert done.returncode == 3
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.nc"]


@pytest.mark.parametrize("trouble", [OSError("the disk is gone"), KeyboardInterrupt()])
def test_trouble_leaves_the_old_file_and_nothing_else(
    stone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    path = tmp_path / "run.nc"
    stone.save(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise trouble

    monkeypatch.setattr(os, "replace", fail)
    expected = ResultFileError if isinstance(trouble, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        dataclasses.replace(stone, name="other").save(path)
    if isinstance(trouble, OSError):
        assert "the disk is gone; a file of that name is as it was, or complete" in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_place_that_cannot_be_written_is_named_before_any_work(stone: Run, tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match=r"there is no directory '.*missing'; create it first"):
        stone.save(tmp_path / "missing" / "run.nc")
    with pytest.raises(ResultFileError, match=r"it is a directory; give a file name such as run\.nc"):
        stone.save(tmp_path)
    with pytest.raises(ResultFileError, match="cannot write"):
        stone.save(tmp_path / ("x" * 300))
    with pytest.raises(ResultFileError, match="cannot write"):
        stone.save(f"{tmp_path}/a\0b")


def test_a_link_is_written_through_and_permissions_are_the_usual(stone: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "link.nc").symlink_to(tmp_path / "run.nc")
    stone.save(tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert load(tmp_path / "run.nc").name == "thrown-stone"
    assert (tmp_path / "run.nc").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "run.nc"
    save(sample_run(), path)
    return path.read_bytes()


def refusal(content: bytes, folder: Path) -> str:
    path = folder / "damaged.nc"
    path.write_bytes(content)
    with pytest.raises(ResultFileError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_is_refused(whole: bytes, tmp_path: Path, share: float) -> None:
    text = refusal(whole[: int(share * len(whole))], tmp_path)
    assert "is empty" in text or "nor any HDF5 file" in text or "it was cut short" in text
    assert "simulate and save again" in text


@quick
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_changed_byte_is_found_wherever_it_is(whole: bytes, tmp_path: Path, place: float, flip: int) -> None:
    content = bytearray(whole)
    content[int(place * len(whole))] ^= flip
    text = refusal(bytes(content), tmp_path)
    assert "is damaged" in text or "cut short" in text or "nor any HDF5 file" in text


@quick
@given(content=st.binary(max_size=300))
def test_any_other_file_is_refused(tmp_path: Path, content: bytes) -> None:
    refusal(content, tmp_path)
    refusal(content + seal(content), tmp_path)
    refusal(b"\x89HDF\r\n\x1a\n" + content + seal(b"\x89HDF\r\n\x1a\n" + content), tmp_path)


def test_bytes_after_the_end_are_found(whole: bytes, tmp_path: Path) -> None:
    assert "cut short or another program wrote it" in refusal(whole + b"\n", tmp_path)


def test_a_newer_format_asks_for_an_update(whole: bytes, tmp_path: Path) -> None:
    body = whole[: -len(seal(b""))]
    text = refusal(body + seal(body, file_format=FORMAT + 1), tmp_path)
    assert f"has format {FORMAT + 1} and this detent reads up to {FORMAT}; update it" in text


def test_an_older_format_asks_for_another_run(whole: bytes, tmp_path: Path) -> None:
    body = whole[: -len(seal(b""))]
    assert "has format 1, which detent no longer reads; simulate" in refusal(body + seal(body, file_format=1), tmp_path)


def with_contents(whole: bytes, change: Callable[[Any], Any]) -> bytes:
    """The same file with other contents, sealed again."""
    body = whole[: -len(seal(b""))]
    length = int(body[-LENGTH_DIGITS:])
    data, text = body[: -LENGTH_DIGITS - 2 - length], body[-LENGTH_DIGITS - 1 - length : -LENGTH_DIGITS - 1]
    contents = json.loads(text)
    given = change(contents)
    text = given if isinstance(given, bytes) else json.dumps(contents).encode()
    body = data + b"\n" + text + f"\n{len(text):016d}".encode()
    return body + seal(body)


def set_to(*path: Any) -> Callable[[Any], Any]:
    """Puts a value (the last) where the names before it lead."""

    def change(contents: Any) -> None:
        *outer, name, value = path
        for each in outer:
            contents = contents[each]
        contents[name] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda contents: contents["arrays"].pop("y"), "and 'y' with 1 dimensions"),
        (lambda contents: contents["arrays"].pop("time"), "'time' with 1 dimensions"),
        (lambda contents: contents["arrays"].pop("detent.rate"), "'detent.rate' with 2 dimensions"),
        (lambda contents: contents.pop("run"), "its table of contents is a table of 2, and a table of run, order"),
        (lambda contents: contents["run"].pop("mode"), "its description is a table of 28, and a table of title"),
        (set_to("arrays", "y", []), "'y' with 1 dimensions"),
        (set_to("arrays", "y", [2048, 3]), "its array 'y' is 'of 3 numbers', and one of 4, as many as times"),
        (set_to("arrays", "y", [2048, 2, 2]), "'y' with 1 dimensions"),
        (set_to("arrays", "y", [2048, 2**40]), "array 'y' is a list of 2, and one that lies within its first"),
        (set_to("arrays", "y", [2**53, 4]), "one that lies within its first"),
        (set_to("arrays", "y", [2048, 2**54]), "arrays['y'][1] is 18014398509481984, and a whole number from 0 to"),
        (set_to("arrays", "y", [-8, 4]), "arrays['y'][0] is -8, and a whole number from 0"),
        (set_to("arrays", "y", ["a", 4]), "arrays['y'][0] is 'a', and a whole number"),
        (set_to("arrays", "kinetic_energy", [2048, 3]), "the kinetic energy"),
        (set_to("arrays", {str(n): [0, 1000] for n in range(100)}), "one that lies within its first"),
        (set_to("order", "middle"), "its table of contents.order is 'middle', and one of little, big was expected"),
        (set_to("run", "events", [{}]), "its description.events[0] is a table of 0, and a table of time, kind, name"),
        (set_to("run", "events", 3), "its description.events is 3, and a list was expected"),
        (lambda contents: b"{not json", "its table of contents is"),
        (lambda contents: b"[" * 100_000, "its table of contents is"),
        (lambda contents: b'{"run": 1, "run": 2}', "stands twice in it"),
        (lambda contents: b"\xff", "and JSON was expected"),
        (set_to("run", "parameters", [1, 2]), "its description.parameters is a list of 2, and a table was expected"),
        (set_to("run", "parameters", {"m": "heavy"}), "its description.parameters['m'] is 'heavy', and a number"),
        (set_to("run", "parameters", {"m": True}), "is True, and a number was expected"),
        (set_to("run", "parameters", {"m": 10**400}), "beyond all floating-point numbers"),
        (set_to("run", "audit", {"trust": 1}), "its description.audit is a table of 1, and a table of energy_balance"),
        (set_to("run", "layout", "coordinates", ["y", "y"]), "a list in which nothing stands twice was expected"),
        (set_to("run", "layout", "speeds", ["y"]), "the state has more than one y"),
        (set_to("run", "layout", "coordinates", 3), "its description.layout.coordinates is 3, and a list"),
        (set_to("run", "outcome", "splendid"), "its description.outcome is 'splendid', and one of completed"),
        (set_to("run", "until", "soon"), "its description.until is 'soon', and a number was expected"),
        (set_to("run", "title", "\ud800"), "its description.title is '\\ud800', and a text was expected"),
        (set_to("run", "dense_rows", -1), "its description.dense_rows is -1, and a whole number from 0 to 64"),
        (set_to("run", "dense_rows", 2**40), "a whole number from 0 to 64"),
        (set_to("run", "dense_rows", 2), "'detent.dense' with 3 dimensions"),
    ],
)
def test_a_whole_file_that_holds_no_run_is_refused(
    whole: bytes, change: Callable[[Any], Any], words: str, tmp_path: Path
) -> None:
    text = refusal(with_contents(whole, change), tmp_path)
    assert "does not hold a run as detent writes it" in text
    assert words in text
    assert "simulate and save again" in text


@pytest.mark.parametrize("digits", [b"x" * 16, b"9" * 16, b"-000000000000001", b"0" * 16])
def test_contents_of_another_length_are_refused(whole: bytes, digits: bytes, tmp_path: Path) -> None:
    body = whole[: -len(seal(b"")) - LENGTH_DIGITS] + digits
    assert "does not hold a run as detent writes it" in refusal(body + seal(body), tmp_path)


def test_the_unchanged_contents_are_accepted(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    path.write_bytes(with_contents(whole, lambda contents: None))
    assert load(path).names == sample_run().names


def test_a_run_is_loaded_without_the_library_that_wrote_it(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.nc").write_bytes(whole)
    script = """
import sys
for package in ("xarray", "h5netcdf", "h5py"):
    sys.modules[package] = None
from detent.results import load
print(load(sys.argv[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "run.nc"], capture_output=True, text=True, check=True, timeout=120
    )
    assert "<Run 'thrown-stone': completed at t = 1.25, 4 nodes>" in done.stdout


def test_what_is_not_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match="there is no such file; give the name of a file"):
        load(tmp_path / "nothing.nc")
    with pytest.raises(ResultFileError, match="it is not a file"):
        load(tmp_path)
    with pytest.raises(ResultFileError, match="cannot read"):
        load(tmp_path / ("x" * 300))


@pytest.mark.parametrize("package", ["xarray", "h5netcdf", "h5py"])
def test_a_missing_package_is_named(stone: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"{package} is needed to save a run"):
        stone.save(tmp_path / "run.nc")
    assert os.listdir(tmp_path) == []
