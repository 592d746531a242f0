"""The scene of a live run: bodies that can be dragged, the hand that holds one, and places that are clicked."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.run import Run
from detent.studio.batches import SurfaceBatch
from detent.studio.drawing import MOST_PLACES
from detent.studio.live_contacts import LiveContacts
from detent.studio.live_motion import LiveMotion, Placed
from detent.studio.live_session import LiveSession
from detent.studio.live_traces import LiveTraces
from detent.studio.stage import Stage
from detent.studio.transport import Ask
from detent.view.mount import Mount

HAND: Final = (214, 39, 40)
INK: Final = (40, 40, 40)
DRAWN: Final = (44, 110, 73)
NAME: Final = "/live"
HAND_SIZE: Final = 0.12
"""Of the arrows at a hand, relative to the scene."""
DOT: Final = 0.015


@final
class LiveStage:
    """Shows a live session on a stage; what the page does to it is asked of the thread that owns the page."""

    def __init__(self, server: Any, stage: Stage, session: LiveSession, look: Run, ask: Ask) -> None:
        self._server, self._session, self._ask = server, session, ask
        self._parts = stage.show_parts(look)
        self._size = stage.size
        self._motion = LiveMotion(session.live, session.system, [batch for batch, _ in self._parts])
        self._shown: list[Placed | None] = [None] * len(self._parts)
        self._bodies = {body.center.name: body.name for body in session.system.bodies.values()}
        self._apart = np.zeros(3)
        self._dragger: int | None = None
        """The page that drags what is held."""
        self._clicked: Callable[[Any], Coroutine[Any, Any, None]] | None = None
        self._drawn: dict[str, Any] = {}
        self._contacts = LiveContacts(server, session.live, stage.size)
        self._traces = LiveTraces(server, session.live, session.system, stage.traced, session.live.timing.period)
        for batch, handle in self._parts:
            self._let_drag(batch, handle)
        self._hand = server.scene.add_transform_controls(
            f"{NAME}/hand", scale=HAND_SIZE * self._size, disable_rotations=True, depth_test=False, visible=False
        )
        self._hand.on_update(self._hand_moved)
        self._spring = server.scene.add_line_segments(
            f"{NAME}/coupler", np.zeros((1, 2, 3)), HAND, thickness=3.0, thickness_units="screen", visible=False
        )

    # -- what is seen ------------------------------------------------------------------------------

    def display(self) -> float:
        """Show the state after the last step; its time (s)."""
        time, placed = self._motion.now()
        with self._server.atomic():
            for number, ((_, handle), now) in enumerate(zip(self._parts, placed, strict=True)):
                if now is not None:
                    _place(handle, now, self._shown[number])
                    self._shown[number] = now
            self._contacts.display()
            self._traces.display()
            self._display_hand()
        return time

    def show_paths(self, shown: bool) -> None:
        """Show where the ends of the model were of late, or not."""
        if shown:
            self._traces.show()
        else:
            self._traces.clear()

    def _display_hand(self) -> None:
        if self._dragger is not None and self._dragger not in self._server.get_clients():
            self.let_go()  # a page that is gone says no more where its mouse is
        held = self._session.held
        if self._hand.visible != (held is not None):
            self._hand.visible = self._spring.visible = held is not None
        if held is not None:
            ends = np.array([[self._session.place(held), np.asarray(self._hand.position)]])
            self._spring.points = ends.astype(np.float32)

    # -- hands -------------------------------------------------------------------------------------

    def _let_drag(self, batch: SurfaceBatch, handle: Any) -> None:
        bodies = [self._body_of(part) for part in batch.parts]
        if not any(body in self._session.handles for body in bodies):
            return

        async def dragged(event: Any) -> None:  # awaited in turn, so that beginning and end keep their order
            number = event.instance_index or 0
            body = bodies[number] if number < len(bodies) else None
            if body is None or body not in self._session.handles:
                return
            start, end = np.array(event.start_position), np.array(event.end_position)
            if event.phase == "start":
                self._ask("drag", lambda: self._drag(body, start, event.client_id))
            elif event.phase == "update":
                self._ask("move", lambda: self.move_hand(end + self._apart))
            else:
                self._ask("drop", self.let_go)

        handle.on_drag(dragged)

    def _body_of(self, part: Any) -> str | None:
        """The body that a part belongs to: a piece that it carries, its centre, or a rod that ends there."""
        if isinstance(part, Mount):
            for body in self._session.system.bodies.values():
                if body.frame.name == part.frame.name and body.frame.parent is not None:
                    return body.name
            return self._bodies.get(part.point.name)
        names = (part,) if isinstance(part, str) else part
        return next((self._bodies[name] for name in names if name in self._bodies), None)

    def _drag(self, body: str, start: FloatArray, page: int | None) -> None:
        self._apart = self._session.place(body) - start
        self.grab(body)
        self._dragger = page

    def grab(self, body: str) -> None:
        """Take hold of a body where it is, with a hand that is shown."""
        self._session.grab(body)
        self._dragger = None
        self._hand.position = tuple(self._session.place(body))

    def move_hand(self, place: FloatArray) -> None:
        """Say where the hand is."""
        held = self._session.held
        if held is not None and np.isfinite(place).all():
            self._hand.position = tuple(place)
            self._session.move(held, place.tolist())

    def let_go(self) -> None:
        """Let go of what is held."""
        self._dragger = None
        self._session.let_go()

    async def _hand_moved(self, event: Any) -> None:
        place = np.array(self._hand.position)
        held = self._session.held
        if held is not None and event.client_id is not None and np.isfinite(place).all():
            self._ask("hand", lambda: self._session.move(held, place.tolist()))

    # -- drawings ----------------------------------------------------------------------------------

    def begin_drawing(self, clicked: Callable[[FloatArray], None]) -> None:
        """From now on a click in the scene is a place in the x-y plane."""
        self.end_drawing()
        count = 0

        async def on_click(event: Any) -> None:
            nonlocal count
            place = in_plane(np.array(event.ray_origin), np.array(event.ray_direction))
            if place is not None:
                count += 1  # of several clicks none is to be left out, but a page may not fill the memory
                self._ask(f"click {count % MOST_PLACES}", lambda: clicked(place))

        self._clicked = on_click
        self._server.scene.on_click()(on_click)

    def end_drawing(self) -> None:
        """Clicks are no places any more."""
        if self._clicked is not None:
            self._server.scene.remove_click_callback(self._clicked)
            self._clicked = None

    def show_drawing(self, name: str, way: Sequence[Sequence[float] | FloatArray], finished: bool) -> None:
        """Show places in the plane and the way through them; without places, nothing any more."""
        for node in self._drawn.pop(name, ()):
            node.remove()
        if not len(way):
            return
        places = np.column_stack([np.asarray(way, dtype=float)[:, :2], np.zeros(len(way))])
        nodes = []
        if len(places) > 1:
            pairs = np.stack([places[:-1], places[1:]], axis=1)
            nodes.append(
                self._server.scene.add_line_segments(
                    f"{NAME}/way of {name}",
                    pairs,
                    DRAWN if finished else INK,
                    thickness=4.0 if finished else 1.5,
                    thickness_units="screen",
                )
            )
        if not finished:
            nodes.append(
                self._server.scene.add_point_cloud(
                    f"{NAME}/places of {name}", places, INK, point_size=DOT * self._size, point_shape="circle"
                )
            )
        self._drawn[name] = nodes

    def clear(self) -> None:
        """Leave nothing of it in the scene but what the stage clears."""
        self.end_drawing()
        for name in list(self._drawn):
            self.show_drawing(name, (), finished=True)
        self._contacts.clear()
        self._traces.clear()
        self._hand.remove()
        self._spring.remove()


def in_plane(origin: FloatArray, direction: FloatArray) -> FloatArray | None:
    """Where a ray meets the x-y plane; None where it does not.

    >>> in_plane(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, -1.0])).tolist()
    [1.0, 2.0]
    """
    if abs(direction[2]) < 1e-9 * float(np.linalg.norm(direction)):
        return None
    along = -origin[2] / direction[2]
    place: FloatArray = (origin + along * direction)[:2]
    return place if along > 0 and np.isfinite(place).all() else None


def _place(handle: Any, now: Placed, before: Placed | None) -> None:
    """Tell the page where things are, as far as that has changed."""
    for name, value, old in zip(
        ("batched_positions", "batched_wxyzs", "batched_scales"), now, before or (None, None, None), strict=True
    ):
        if value is not None and (old is None or not np.array_equal(value, old)):
            setattr(handle, name, value.astype(np.float32))
