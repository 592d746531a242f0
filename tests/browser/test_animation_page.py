"""Pages of animations, opened from a file in a real browser: they play, jump and draw, and ask for nothing else."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent

HOSTILE = "</script><img src=x onerror=\"document.body.dataset.broken='yes'\">"


class Opened:
    """A page in a browser, with what it complained about and what it asked for."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("request", lambda request: self.requests.append(request.url))
        page.set_default_timeout(300_000)  # a busy machine is not a fault
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready=yes]")

    @property
    def frame(self) -> int:
        return int(self.page.evaluate("document.body.dataset.frame"))

    @property
    def time(self) -> float:
        return float(self.page.evaluate("times[shown]"))

    def picture(self) -> np.ndarray:
        """The scene as dots of red, green and blue."""
        from PIL import Image

        taken = self.page.locator("#scene").screenshot()
        return np.asarray(Image.open(io.BytesIO(taken)).convert("RGB")).astype(int)


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    pages = []

    def open_page(run: detent.Run, **more: Any) -> Opened:
        detent.animate(run, tmp_path / "run.html", **more)
        pages.append(browser.new_page(viewport={"width": 1000, "height": 600}))
        return Opened(pages[-1], tmp_path / "run.html")

    yield open_page
    for page in pages:
        page.close()


def test_a_page_opens_from_a_file_and_fetches_nothing(opened: Any, tmp_path: Path) -> None:
    shown = opened(detent.example("double-pendulum").simulate(until=1))
    assert shown.complaints == []
    assert shown.requests == [(tmp_path / "run.html").as_uri()]
    assert shown.page.title() == "double-pendulum"
    assert (shown.frame, shown.time) == (0, 0.0)


def test_a_page_plays_to_the_end_and_stops(opened: Any) -> None:
    shown = opened(detent.example("pendulum").simulate(until=0.2), speed=1)
    before = shown.picture()
    shown.page.click("#play")
    shown.page.wait_for_selector("body[data-playing=no][data-frame='6']")
    assert shown.page.inner_text("#play") == "Play"
    assert (shown.picture() != before).any()
    assert shown.complaints == []


def test_the_slider_moves_the_rod_where_the_run_has_it(opened: Any) -> None:
    run = detent.example("pendulum").simulate(until=1)
    shown = opened(run, fps=10, traces=[])
    shown.page.evaluate("slider.value = times[5]; slider.dispatchEvent(new Event('input'))")
    assert (shown.frame, shown.time) == (5, 0.5)
    x, y = shown.page.evaluate("seen(row(points.get('bob'), shown)).slice(0, 2)")
    angle, scale = run.at(0.5).angle, shown.page.evaluate("scale")
    center = shown.page.evaluate("seen([0, 0, 0]).slice(0, 2)")
    # Places are kept to single precision.
    assert [x - center[0], y - center[1]] == pytest.approx([scale * np.sin(angle), scale * np.cos(angle)], rel=1e-5)
    dark = (shown.picture()[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3] < 80).all(axis=2)
    assert dark.sum() >= 9  # the mass


def test_events_are_jumped_to_by_name_and_in_turn(opened: Any) -> None:
    run = detent.example("disk-on-ramp").simulate()
    shown = opened(run)
    times = [event.time for event in run.events]
    buttons = shown.page.locator("#events button")
    assert buttons.count() == len(times) == 4
    buttons.nth(2).click()
    assert shown.time == times[2]
    assert shown.page.inner_text("#mode") == run.events[2].target
    shown.page.click("#next")
    assert shown.time == times[3]
    shown.page.click("#previous")
    shown.page.click("#previous")
    assert shown.time == times[1]


def test_a_click_on_a_curve_goes_to_its_time(opened: Any) -> None:
    shown = opened(detent.example("pendulum").simulate(until=1))
    box = shown.page.locator("#panels canvas").first.bounding_box()
    middle = shown.page.evaluate("LEFT") + (box["width"] - shown.page.evaluate("LEFT + RIGHT")) / 2
    shown.page.mouse.click(box["x"] + middle, box["y"] + 60)
    assert shown.time == pytest.approx(0.5, abs=1 / 30)


def test_a_scene_in_space_is_turned_by_dragging_and_comes_back(opened: Any) -> None:
    shown = opened(detent.example("sliding-sphere").simulate(until=0.5))
    before = shown.picture()
    box = shown.page.locator("#scene").bounding_box()
    shown.page.mouse.move(box["x"] + 200, box["y"] + 200)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 300, box["y"] + 240, steps=4)
    shown.page.mouse.up()
    axes = np.array(shown.page.evaluate("camera.axes"))
    assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-12
    assert (shown.picture() != before).mean() > 0.05
    shown.page.click("#home")
    assert (shown.picture() == before).all()


def test_forces_can_be_hidden(opened: Any) -> None:
    shown = opened(detent.example("sliding-sphere").simulate(until=0.5))

    def red() -> int:
        picture = shown.picture()
        return int(((picture[:, :, 0] > 150) & (picture[:, :, 1:] < 90).all(axis=2)).sum())

    assert red() > 50
    shown.page.uncheck("#forces")
    assert red() == 0


def test_names_of_a_model_do_nothing_in_a_page(opened: Any) -> None:
    system = detent.System(HOSTILE)
    y = system.coordinates(y=1)
    system.particle(HOSTILE, system.origin.offset(HOSTILE, y * system.ground.y), mass=1)
    system.gravity(-10 * system.ground.y)
    automaton = detent.Automaton(system)
    mode = automaton.mode(HOSTILE)
    automaton.transition(HOSTILE, mode, mode, when=y <= 0.5, reset={y: 1})
    shown = opened(detent.simulate(automaton, until=1, name=HOSTILE))
    assert shown.page.inner_text("h1") == HOSTILE
    assert HOSTILE in shown.page.inner_text("#events button >> nth=0")
    assert shown.page.locator("img").count() == 0
    assert shown.page.evaluate("document.body.dataset.broken") is None
    assert shown.complaints == []
