"""Moving pictures: as many frames as asked for, at the right times; files that are whole and always the same."""

from __future__ import annotations

import base64
import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.view.frame_times import frame_times
from detent.view.scene import scene_of
from detent.view.scene_drawing import SceneDrawing

HOSTILE = "</script><script>alert('gotcha')</script><img src=x onerror=alert(1)>&amp;\u2028"


@pytest.fixture(scope="module")
def pendulum() -> detent.Run:
    return detent.example("pendulum").simulate(until=1)


@pytest.fixture(scope="module")
def ball() -> detent.Run:
    return detent.example("bouncing-ball").simulate(until=2)


class Page(HTMLParser):
    """What a page holds: its elements with their attributes, and the texts of those that are looked at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self._open.append(str(dict(attrs).get("id") or tag))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]] = self.texts.get(self._open[-1], "") + data

    @property
    def data(self) -> Any:
        return json.loads(self.texts["data"])


def numbers(data: Any, place: int) -> np.ndarray:
    packed = data["store"][place]
    return np.frombuffer(base64.b64decode(packed["bytes"]), dtype="<" + packed["kind"])


def written(run: detent.Run, path: Path, **more: Any) -> Page:
    detent.animate(run, path, **more)
    return Page(path)


# -- frames ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fps", "speed", "count"), [(10, 1, 11), (10, 0.5, 21), (7, 1, 8), (10, 3, 4), (0.5, 1, 1)])
def test_frames_follow_from_rate_and_speed(pendulum: detent.Run, fps: float, speed: float, count: int) -> None:
    times = frame_times(pendulum, fps, speed)
    assert times == pytest.approx(np.arange(count) * speed / fps, abs=1e-15)


def test_of_a_run_that_kept_some_times_the_nearest_are_shown() -> None:
    run = detent.example("pendulum").simulate(until=1, times=[0, 0.3, 0.35, 1])
    assert frame_times(run, 4, 1).tolist() == [0.0, 0.3, 0.35, 1.0, 1.0]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"fps": 0}, "fps is 0; give a number that is finite and greater than zero"),
        ({"speed": float("nan")}, "speed is nan"),
        ({"speed": 1e-9}, "are 3e.10 frames; give fewer fps or more speed"),
        ({"fps": 60}, "a GIF has at most 50"),
    ],
)
def test_rates_that_cannot_be_shown_are_refused(
    pendulum: detent.Run, tmp_path: Path, more: dict[str, Any], words: str
) -> None:
    with pytest.raises(detent.ValueProblem, match=words):
        detent.animate(pendulum, tmp_path / "run.gif", **more)
    assert list(tmp_path.iterdir()) == []


# -- the page ----------------------------------------------------------------------------------


def test_a_page_has_a_frame_for_each_time_and_each_event(ball: detent.Run, tmp_path: Path) -> None:
    data = written(ball, tmp_path / "ball.html", fps=10).data
    events = [event.time for event in ball.events]
    assert len(events) > 0
    assert numbers(data, data["times"]).tolist() == sorted({*frame_times(ball, 10, 1).tolist(), *events})
    assert [event["time"] for event in data["events"]] == events
    assert data["event_words"] == "1 event" if len(events) == 1 else f"{len(events)} events"


def test_a_page_of_a_run_that_kept_some_times_shows_these(tmp_path: Path) -> None:
    run = detent.example("bouncing-ball").simulate(until=2, times=np.linspace(0, 2, 9))
    data = written(run, tmp_path / "ball.html", fps=4).data
    assert len(run.events) > 0
    assert numbers(data, data["times"]).tolist() == np.linspace(0, 2, 9).tolist()


def test_a_page_of_a_run_of_no_length_has_one_frame(tmp_path: Path) -> None:
    data = written(detent.example("pendulum").simulate(until=0), tmp_path / "still.html").data
    assert numbers(data, data["times"]).tolist() == [0.0]


def test_a_page_holds_the_places_of_its_frames(pendulum: detent.Run, tmp_path: Path) -> None:
    data = written(pendulum, tmp_path / "pendulum.html", fps=10).data
    bob = numbers(data, data["points"]["bob"]).reshape(-1, 3)
    angle = pendulum.at(frame_times(pendulum, 10, 1)).angle
    assert bob.shape == (11, 3)
    half_step = np.finfo(np.float32).eps / 2  # places are rounded to single precision
    assert np.abs(bob - np.stack([np.sin(angle), -np.cos(angle), 0 * angle], axis=1)).max() <= half_step


def test_a_page_has_the_curves_of_the_run(pendulum: detent.Run, tmp_path: Path) -> None:
    data = written(pendulum, tmp_path / "pendulum.html").data
    panels = data["curves"]["panels"]
    drawn = {curve["name"]: numbers(data, curve["values"]) for panel in panels for curve in panel["curves"]}
    assert {"angle", "angle_rate", "energy"} <= drawn.keys()
    time = numbers(data, data["curves"]["time"])
    assert drawn["angle"] == pytest.approx(pendulum.at(time).angle, rel=1e-6)


def test_a_page_fetches_nothing(ball: detent.Run, tmp_path: Path) -> None:
    page = written(ball, tmp_path / "ball.html")
    assert [attributes for _, attributes in page.elements if {"src", "href", "action"} & attributes.keys()] == []
    assert {tag for tag, _ in page.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base"})
    assert re.findall(r"\w+://|url\(|@import|\bimport\b|fetch\(|XMLHttpRequest|WebSocket|eval\(", page.text) == []
    policy = next(attributes for tag, attributes in page.elements if "http-equiv" in attributes)
    assert str(policy["content"]).startswith("default-src 'none';")


def test_names_of_a_model_stay_text(tmp_path: Path) -> None:
    system = detent.System(HOSTILE)
    y = system.coordinates(y=1)
    system.particle(HOSTILE, system.origin.offset(HOSTILE, y * system.ground.y), mass=1)
    page = written(detent.simulate(system, until=1, name=HOSTILE), tmp_path / "page.html")
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in [tag for tag, _ in page.elements]
    assert page.texts["title"] == HOSTILE
    assert page.data["name"] == HOSTILE
    assert page.data["masses"] == [HOSTILE]


def test_a_name_with_the_mark_of_the_template_is_not_read_as_a_part(tmp_path: Path) -> None:
    run = detent.example("pendulum").simulate(until=0.1, name="@script@ at @data@")
    assert written(run, tmp_path / "page.html").texts["title"] == "@script@ at @data@"


def test_ten_bodies_in_three_hundred_frames_take_half_a_megabyte(tmp_path: Path) -> None:
    system = detent.System("ten")
    for number in range(10):
        joint = system.free(f"b{number}", system.origin.offset(f"o{number}", number * system.ground.x), system.ground)
        system.body(f"body{number}", joint.point, joint.frame, 1, (1, 2, 3 - number / 10))
    rates = {"x_rate": 0.5, "y_rate": -0.3, "z_rate": 0.2, "wx": 1, "wy": 2, "wz": 0.5}
    start = {f"b{number}_{word}": rate * (1 + number / 10) for number in range(10) for word, rate in rates.items()}
    data = written(detent.simulate(system, until=10, start=start), tmp_path / "ten.html").data
    assert len(numbers(data, data["times"])) == 301
    assert len([piece for piece in data["pieces"] if piece["kind"] == "mass"]) == 10
    assert (tmp_path / "ten.html").stat().st_size < 550_000


def test_forces_and_traces_are_shown_where_wanted(tmp_path: Path) -> None:
    run = detent.example("disk-on-ramp-contact").simulate(until=1)
    shown = written(run, tmp_path / "shown.html", fps=5).data
    assert shown["touches"]["names"] == ["disk|ramp"]
    assert [trace["name"] for trace in shown["traces"]] == ["hub"]
    plain = written(run, tmp_path / "plain.html", fps=5, traces=[], forces=False).data
    assert (plain["touches"], plain["traces"]) == (None, [])


# -- files -------------------------------------------------------------------------------------


def test_a_gif_has_the_frames_and_lasts_as_long_as_asked_for(pendulum: detent.Run, tmp_path: Path) -> None:
    from PIL import Image

    detent.animate(pendulum, tmp_path / "run.gif", fps=15, speed=2)
    with Image.open(tmp_path / "run.gif") as picture:
        durations = []
        for number in range(picture.n_frames):
            picture.seek(number)
            durations.append(picture.info["duration"])
    assert len(durations) == 8
    assert set(durations) == {60, 70}  # a fifteenth of a second is not a whole number of hundredths
    assert sum(durations) == 530


@pytest.mark.parametrize("ending", ["gif", "html", "mp4"])
def test_the_same_run_makes_the_same_bytes(pendulum: detent.Run, tmp_path: Path, ending: str) -> None:
    for name in ("first", "second"):
        detent.animate(pendulum, tmp_path / f"{name}.{ending}", fps=4)
    first, second = (tmp_path / f"{name}.{ending}" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == [first.name, second.name]


def test_a_film_needs_ffmpeg_and_says_how_to_get_it(
    pendulum: detent.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(detent.DetentError, match=r"which was not found; install the extra film.*or write \.gif or "):
        detent.animate(pendulum, tmp_path / "run.mp4")


def test_other_endings_are_refused(pendulum: detent.Run, tmp_path: Path) -> None:
    with pytest.raises(detent.ValueProblem, match=r"'.*run\.avi' ends in '\.avi'; animations are written as \.gif, "):
        detent.animate(pendulum, tmp_path / "run.avi")


def test_a_run_from_a_file_needs_its_system(pendulum: detent.Run, tmp_path: Path) -> None:
    pendulum.save(tmp_path / "run.nc")
    loaded = detent.load(tmp_path / "run.nc")
    with pytest.raises(detent.DetentError, match=r"does not hold its model.*animate\(run, path, system=system\)"):
        detent.animate(loaded, tmp_path / "run.html")
    detent.animate(loaded, tmp_path / "loaded.html", system=detent.example("pendulum").system)
    detent.animate(pendulum, tmp_path / "run.html")
    assert (tmp_path / "loaded.html").read_bytes() == (tmp_path / "run.html").read_bytes()


def test_a_place_that_cannot_be_written_is_named(pendulum: detent.Run, tmp_path: Path) -> None:
    with pytest.raises(detent.ResultFileError, match=r"cannot write .*nowhere"):
        detent.animate(pendulum, tmp_path / "nowhere" / "run.html")


# -- frames of GIF and MP4 ---------------------------------------------------------------------


def drawn(run: detent.Run, time: float) -> tuple[SceneDrawing, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 4))
    drawing = SceneDrawing(run, scene_of(run, np.array([0.0, time])), figure)
    drawing.show(0)
    drawing.show(1)  # in the place of the first
    return drawing, figure


def test_a_drawn_frame_has_the_rod_where_the_run_has_it(pendulum: detent.Run) -> None:
    drawing, figure = drawn(pendulum, 0.5)
    (patches,) = figure.axes[0].collections
    (rod,) = (path.vertices for path in patches.get_paths())
    angle, middle = pendulum.at(0.5).angle, drawing.scene.camera.middle[:2]
    assert rod == pytest.approx(np.array([[np.sin(angle), -np.cos(angle)], [0, 0]]) - middle, abs=1e-15)
    assert [text.get_text() for text in figure.texts] == ["pendulum: t = 0.50 s"]


def test_a_long_title_is_cut_and_begins_with_the_time() -> None:
    run = detent.example("rocking-block").simulate()
    _, figure = drawn(run, float(run.time[-1]))
    (title,) = figure.texts
    box, whole = title.get_window_extent(), figure.bbox
    assert ": t = " in title.get_text()
    assert title.get_text().endswith("…")
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1


def test_metres_are_the_same_across_and_up(pendulum: detent.Run) -> None:
    axes = drawn(pendulum, 0.5)[1].axes[0]
    box = axes.get_window_extent()
    assert np.ptp(axes.get_xlim()) / box.width == pytest.approx(np.ptp(axes.get_ylim()) / box.height, rel=1e-12)


def test_only_faces_that_look_at_the_viewer_are_drawn_the_farthest_first() -> None:
    run = detent.example("tumbling-body").simulate(until=0.1)
    drawing, figure = drawn(run, 0.1)
    ellipsoid = next(piece for piece in drawing.scene.pieces if piece.solid is not None)
    assert ellipsoid.solid is not None
    shown = [path.vertices for path in figure.axes[0].collections[0].get_paths() if len(path.vertices) >= 4]
    seen = drawing.scene.camera.seen(ellipsoid.corners()[-1])
    depths = {tuple(np.round(seen[list(face), :2].mean(axis=0), 9)): seen[list(face), 2].mean()
              for face in ellipsoid.solid.faces if _faces_us(seen[list(face)])}  # fmt: skip
    order = [depths[tuple(np.round(face[:4].mean(axis=0), 9))] for face in shown]
    assert len(order) == len(depths) < len(ellipsoid.solid.faces)
    assert order == sorted(order)


def test_a_path_is_seen_before_the_plane_that_it_lies_on() -> None:
    axes = drawn(detent.example("sliding-sphere").simulate(until=0.5), 0.5)[1].axes[0]
    plane, *others = sorted(axes.collections, key=lambda patches: patches.get_zorder())
    (path,) = (line for line in axes.lines if len(line.get_xdata()) > 1)
    assert len(plane.get_paths()) == 100
    assert plane.get_zorder() < path.get_zorder() < min(patches.get_zorder() for patches in others)


def _faces_us(corners: np.ndarray) -> bool:
    return bool(np.cross(corners[2] - corners[0], corners[-1] - corners[1])[2] > 0)


def test_a_short_run_is_slowed_down_and_shown_to_its_end(tmp_path: Path) -> None:
    run = detent.example("andrews-squeezer").simulate()
    data = written(run, tmp_path / "squeezer.html").data
    times = numbers(data, data["times"])
    assert data["speed"] == 0.02
    assert len(times) == 46
    assert times[-1] == run.t[-1] == 0.03


def test_what_is_drawn_during_a_run_is_there_from_then_on(tmp_path: Path) -> None:
    run = detent.example("drawn-fence").simulate()
    pieces = written(run, tmp_path / "fence.html", fps=1).data["pieces"]
    assert [piece["since"] for piece in pieces if piece["since"] is not None] == [7.0]


def test_a_ladder_that_leans_still_is_no_part_of_the_ground_and_reaches_the_wall() -> None:
    run = detent.example("ladder").simulate(until=1)
    scene = scene_of(run, np.array([0.0, 1.0]))
    assert scene.hinges == ()
    assert all(len(places) == 2 for name, places in scene.points.items() if name != "origin")
    top = run.contacts["top|wall"][""].point[0]
    reached = np.concatenate([piece.corners()[0] for piece in scene.pieces if piece.kind == "link"])
    assert np.abs(reached - top).max(axis=1).min() < 1e-12


def test_a_turning_plane_reaches_across_the_picture_at_all_times() -> None:
    run = detent.example("spinning-table").simulate()
    times = np.linspace(0, 10, 51)
    scene = scene_of(run, times)
    (table,) = [piece for piece in scene.pieces if piece.kind == "plane"]
    ball = run.value("ball.x", times), run.value("ball.y", times)
    inner = np.einsum("tji,tj->ti", table.turns, np.stack([*ball, table.places[:, 2]], axis=1) - table.places)
    assert table.solid is not None
    low, high = np.array(table.solid.places).min(axis=0), np.array(table.solid.places).max(axis=0)
    assert ((inner[:, :2] > low[:2]) & (inner[:, :2] < high[:2])).all()


def test_a_fence_that_is_drawn_anew_is_shown_each_time_that_it_is_there(tmp_path: Path) -> None:
    """Whatever a hand does meanwhile, which moves inputs too; after it is erased there is none."""
    system = detent.System("ball")
    y = system.coordinates(y=1)
    ball = system.particle("ball", system.origin.offset("center", y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.contact("ball|fence", ball.circle(0.1), system.ground.drawing("fence", points=4), impact=detent.Plastic())
    coupler = detent.couple("hand", ball, stiffness=10, damping=1)
    live = detent.Live(system, couplers=[coupler], clock=detent.SimulatedClock())
    live.advance(0.1)
    live.draw("fence", [(-1, 0.5), (1, 0.5)])
    live.advance(0.4)
    live.grab(coupler)
    for height in (0.6, 0.7, 0.8):
        live.move(coupler, (0, height, 0))
        live.advance(0.1)
    live.draw("fence", [(-2, 0.2), (2, 0.2)])
    live.advance(0.2)
    live.erase("fence")
    live.advance(0.2)
    scene = scene_of(live.recording.replay(), np.array([0.05, 0.1, 0.79, 0.8, 0.99, 1.0, 1.2]))
    fences = [piece for piece in scene.pieces if piece.is_drawn]
    assert [[bool(piece.is_there(time)) for time in scene.times] for piece in fences] == [
        [False, True, True, False, False, False, False],
        [False, False, False, True, True, False, False],
    ]
    assert [float(np.abs(piece.corners()[..., 1]).max()) for piece in fences] == pytest.approx([0.5, 0.2], abs=1e-12)
    pieces = written(live.recording.replay(), tmp_path / "fence.html", fps=5).data["pieces"]
    told = [(piece["since"], piece["until"]) for piece in pieces if piece["since"] is not None]
    assert told == [(pytest.approx(0.1), pytest.approx(0.8)), (pytest.approx(0.8), pytest.approx(1.0))]
