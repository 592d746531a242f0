"""The studio in a real browser: it opens, plays, runs again with a changed parameter and says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from detent.studio.studio import Studio

pytest.importorskip("viser", reason="LEFT OUT: the extra 'studio' is not installed; the studio's page was not opened")

PATIENCE = 300_000
"""Milliseconds: a busy machine is not a fault."""


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with Studio(port=0) as made:
        yield made


class Opened:
    """The studio's page, with what it complained about and whom it asked for something."""

    def __init__(self, page: Any, studio: Studio) -> None:
        self.page, self.studio = page, studio
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(studio.address)
        page.wait_for_selector("[data-role=time]")

    @property
    def time(self) -> float:
        return float(self.page.locator("[data-role=time]").inner_text().split()[2])

    def input(self, label: str) -> Any:
        """The field after a label."""
        return self.page.locator(f"xpath=//*[text()='{label}']/following::input[1]")

    def wait_for(self, selector: str, text: str) -> None:
        self.page.locator(selector, has_text=text).first.wait_for()


@pytest.fixture(scope="module")
def page(browser: Any, studio: Studio) -> Iterator[Opened]:
    made = browser.new_page(viewport={"width": 1200, "height": 600})
    studio.open("conveyor-pendulum")
    studio.settle()
    yield Opened(made, studio)
    made.close()


@pytest.fixture
def opened(page: Opened, studio: Studio) -> Any:
    def open_model(name: str) -> Opened:
        studio.open(name)
        studio.settle()
        page.wait_for("[data-role=time]", "t = 0.000000 s")
        return page

    return open_model


def test_the_page_opens_and_asks_nobody_else(opened: Any, studio: Studio) -> None:
    page = opened("conveyor-pendulum")
    page.page.get_by_text("detent studio").wait_for()
    page.page.locator("canvas").first.wait_for()
    others = [url for url in page.requests if not url.startswith((studio.address, "data:", "blob:"))]
    assert others == []
    assert page.complaints == []


def test_it_plays_to_the_end_of_the_run(opened: Any) -> None:
    page = opened("conveyor-pendulum")
    page.page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for("[data-role=time]", "t = 1.000000 s")
    page.wait_for("[data-role=mode]", "stuck")
    page.page.get_by_role("button", name="Play", exact=True).wait_for()


def test_events_are_gone_to(opened: Any, studio: Studio) -> None:
    page = opened("conveyor-pendulum")
    page.page.get_by_text("next", exact=True).click()
    page.wait_for("[data-role=time]", f"t = {studio.session.run.events[0].time:.6f} s")


def test_a_changed_parameter_is_run(opened: Any, studio: Studio) -> None:
    page = opened("pendulum")
    page.input("length, m").fill("2*sqrt(4)")
    page.page.get_by_role("button", name="Run", exact=True).click()
    studio_is_told(page, lambda: studio.session.run.parameters["length"] == 4.0)


def test_a_model_is_chosen_from_the_list(opened: Any, studio: Studio) -> None:
    page = opened("pendulum")
    page.page.get_by_label("model", exact=True).click()
    page.page.get_by_role("option", name="double-pendulum", exact=True).click()
    studio_is_told(page, lambda: studio.session.run is not None and studio.session.run.name == "double-pendulum")


def test_what_is_wrong_is_shown(opened: Any) -> None:
    page = opened("pendulum")
    page.input("length, m").fill("__import__('os')")
    page.page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for("[role=alert]", "length: in '__import__('os')': the function '__import__' is not offered")


def test_a_page_of_another_origin_gets_no_scene(browser: Any, studio: Studio) -> None:
    """A page that is no page of the studio's opens a websocket to it: it is refused before anything is sent."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto("about:blank")
    got = page.evaluate(
        """address => new Promise(done => {
            const socket = new WebSocket(address.replace("http", "ws"));
            socket.onopen = () => done("open");
            socket.onerror = () => done("refused");
        })""",
        studio.address,
    )
    page.close()
    assert got == "refused"


def test_closing_a_page_leaves_the_studio_as_it_was(browser: Any, studio: Studio) -> None:
    other = browser.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(studio.address)
    other.close()
    studio.open("double-pendulum")
    studio.settle()
    assert studio.session.error is None


def studio_is_told(page: Opened, happened: Any) -> None:
    """Wait until something that the page asked for has come about, however long that takes."""
    while not happened():
        page.page.wait_for_timeout(50)
        page.studio.settle()
