"""The layout of graphs: nothing on top of anything else, whatever the graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from detent.view.layered_layout import PORT, Layout, Link, Place, layered

lengths = st.integers(8, 160).map(float)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Place], list[Link], int]:
    count = draw(st.integers(1, 8))
    boxes = st.integers(0, count - 1)
    sizes = draw(st.lists(st.tuples(lengths, lengths), min_size=count, max_size=count))
    links = draw(st.lists(st.builds(Link, boxes, boxes, lengths, lengths), max_size=14))
    return sizes, links, draw(boxes)


def along(way: tuple[Place, ...]) -> Iterator[Place]:
    """Places on a way of cubic pieces."""
    for first in range(0, len(way) - 1, 3):
        for step in range(13):
            s = step / 12
            weights = ((1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3)
            x, y = (sum(w * p[i] for w, p in zip(weights, way[first : first + 4], strict=True)) for i in (0, 1))
            yield x, y


@given(graphs())
def test_boxes_and_labels_never_overlap(graph: tuple[list[Place], list[Link], int]) -> None:
    made = layered(*graph)
    everything = [*made.boxes, *made.labels]
    for number, box in enumerate(everything):
        assert not any(box.overlaps(other) for other in everything[:number])
        assert box.left >= -1e-9
        assert box.top >= -1e-9
        assert box.right <= made.width + 1e-9
        assert box.bottom <= made.height + 1e-9


@given(graphs())
def test_no_arrow_crosses_a_box_or_a_label_of_another(graph: tuple[list[Place], list[Link], int]) -> None:
    made = layered(*graph)
    for number, way in enumerate(made.ways):
        others = [*made.boxes, *(label for other, label in enumerate(made.labels) if other != number)]
        for x, y in along(way):
            for box in others:
                inside = box.left + 1e-6 < x < box.right - 1e-6 and box.top + 1e-6 < y < box.bottom - 1e-6
                assert not inside


@given(graphs())
def test_arrows_begin_and_end_at_their_boxes_and_pass_their_labels(graph: tuple[list[Place], list[Link], int]) -> None:
    made = layered(*graph)
    for link, way, label in zip(graph[1], made.ways, made.labels, strict=True):
        for (x, y), box in ((way[0], made.boxes[link.source]), (way[-1], made.boxes[link.target])):
            at_side = min(abs(y - box.top), abs(y - box.bottom)) < 1e-6 and box.left < x < box.right
            assert at_side or (abs(x - box.right) < 1e-6 and box.top < y < box.bottom)
        if link.source != link.target:
            assert any(abs(x - label.x) < 1e-6 for x, _ in way)


@given(graphs())
def test_the_first_box_is_on_top(graph: tuple[list[Place], list[Link], int]) -> None:
    made = layered(*graph)
    top = min(made.boxes, key=lambda box: box.y).y
    assert made.boxes[graph[2]].y == top


def test_several_arrows_between_two_boxes_stay_apart() -> None:
    links = [Link(0, 1, 30.0, 10.0), Link(0, 1, 30.0, 10.0), Link(1, 0, 30.0, 10.0)]
    made: Layout = layered([(80.0, 20.0), (80.0, 20.0)], links)
    for end in (0, -1):
        starts = sorted(way[end][0] for way in made.ways)
        assert all(second - first >= PORT - 1e-9 for first, second in pairwise(starts))


def test_the_same_graph_gives_the_same_layout() -> None:
    sizes = [(60.0, 20.0)] * 6
    links = [Link(a, b, 40.0, 12.0) for a in range(6) for b in range(6) if (a * b + a) % 3 == 1]
    assert layered(sizes, links) == layered(sizes, links)
