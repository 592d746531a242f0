"""Where the boxes, the arrows and their labels of a graph go.

Layers from top to bottom, after Sugiyama, Tagawa and Toda, *Methods for visual understanding of hierarchical system
structures*, IEEE Transactions on Systems, Man, and Cybernetics 11 (1981): boxes at even layers, and between them every
label as an item of its own, so that several arrows between the same boxes stay apart and nothing lies on anything
else. An arrow that passes a layer has its own place there. The same graph gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias, final

Place: TypeAlias = tuple[float, float]

BESIDE: Final = 20.0
"""Room between two items of a layer."""
BETWEEN: Final = 24.0
"""Least room between two layers."""
LOOP: Final = 26.0
"""How far an arrow from a box to itself reaches to the right."""
PORT: Final = 16.0
"""Least room between two arrows at one side of a box, and between an arrow and the corner."""
SWEEPS: Final = 24
"""Down and up through the layers, to put them in order."""
SHIFTS: Final = 120
"""Down and up again, to put them in place: a chain of boxes aligns slowly."""


@final
@dataclass(frozen=True)
class LayoutBox:
    """A rectangle, by its centre and its size; y goes down.

    >>> LayoutBox(10, 20, 4, 6).bottom
    23.0
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2

    def overlaps(self, other: LayoutBox) -> bool:
        """Whether two rectangles have more than an edge in common."""
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )  # fmt: skip


@final
@dataclass(frozen=True)
class Link:
    """An arrow from a box to a box, by number, and the size of its label."""

    source: int
    target: int
    width: float
    height: float


@final
@dataclass(frozen=True)
class Layout:
    """Boxes and labels in the order given, and each arrow's way: a place, then three for every cubic piece."""

    boxes: tuple[LayoutBox, ...]
    labels: tuple[LayoutBox, ...]
    ways: tuple[tuple[Place, ...], ...]
    width: float
    height: float


@dataclass(eq=False)
class _Item:
    """Something that takes room in a layer: a box with its loops, a label, or an arrow passing through."""

    layer: int
    left: float
    right: float
    height: float
    is_box: bool = False
    x: float = 0.0
    above: list[_Item] = field(default_factory=list)
    below: list[_Item] = field(default_factory=list)


def layered(sizes: Sequence[Place], links: Sequence[Link], first: int = 0) -> Layout:
    """Lay out boxes of these sizes (width, height) and the arrows between them; ``first`` is on top.

    >>> made = layered([(60, 20), (60, 20)], [Link(0, 1, 30, 10)])
    >>> [box.x for box in made.boxes], made.labels[0].x
    ([30.0, 30.0], 30.0)
    """
    graph = _Layers(sizes, links, first)
    graph.order()
    graph.place()
    return graph.layout()


class _Layers:
    """The work of :func:`layered`, step by step."""

    def __init__(self, sizes: Sequence[Place], links: Sequence[Link], first: int) -> None:
        self.links = links
        self.loops = {box: [n for n, link in enumerate(links) if link.source == link.target == box]
                      for box in range(len(sizes))}  # fmt: skip
        ranks = _ranks(len(sizes), links, first)
        self.sizes = [self._size(number, *size) for number, size in enumerate(sizes)]
        self.boxes = [self._box(number, 2 * ranks[number]) for number in range(len(sizes))]
        self.layers: list[list[_Item]] = [[] for _ in range(2 * max(ranks) + 1)]
        for item in self.boxes:
            self.layers[item.layer].append(item)
        self.chains: dict[int, list[_Item]] = {}
        self.labels: dict[int, _Item] = {}
        across = [number for number, link in enumerate(links) if link.source != link.target]
        for number in sorted(across, key=lambda n: abs(ranks[links[n].source] - ranks[links[n].target])):
            self._chain(number)

    # -- items -------------------------------------------------------------------------------

    def _size(self, number: int, width: float, height: float) -> Place:
        """Wide enough for the arrows that come and go, high enough for the loops."""
        ends = sum((link.source == number) + (link.target == number) for link in self.links)
        high = sum(self.links[loop].height + BESIDE / 2 for loop in self.loops[number])
        return max(width, PORT * (ends + 1)), max(height, high)

    def _box(self, number: int, layer: int) -> _Item:
        width, height = self.sizes[number]
        loops = [LOOP + 4.0 + self.links[loop].width for loop in self.loops[number]]
        return _Item(layer, width / 2, width / 2 + max(loops, default=0.0), height, is_box=True)

    def _chain(self, number: int) -> None:
        """The items of one arrow, from the upper box to the lower one; its label where there is most room."""
        link = self.links[number]
        upper, lower = sorted((self.boxes[link.source], self.boxes[link.target]), key=lambda item: item.layer)
        between = range(upper.layer + 1, lower.layer)
        middle = (upper.layer + lower.layer) / 2
        chosen = min(between[::2], key=lambda layer: (self._width(layer), abs(layer - middle), layer))
        chain = []
        for layer in between:
            label = layer == chosen
            item = _Item(layer, link.width / 2, link.width / 2, link.height) if label else _Item(layer, 4.0, 4.0, 0.0)
            if label:
                self.labels[number] = item
            self.layers[layer].append(item)
            chain.append(item)
        whole = [upper, *chain, lower]
        for above, below in pairwise(whole):
            above.below.append(below)
            below.above.append(above)
        self.chains[number] = chain

    def _width(self, layer: int) -> float:
        return sum(item.left + item.right + BESIDE for item in self.layers[layer])

    # -- order within the layers -------------------------------------------------------------

    def order(self) -> None:
        """Sort every layer by where its neighbours are, down and up again; keep the order with fewest crossings."""
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(SWEEPS):
            downwards = sweep % 2 == 0
            for layer in self.layers[1:] if downwards else self.layers[-2::-1]:
                self._sort(layer, downwards)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def _sort(self, layer: list[_Item], downwards: bool) -> None:
        places = {id(item): number for items in self.layers for number, item in enumerate(items)}

        def wanted(item: _Item) -> float:
            near = item.above if downwards else item.below
            return sum(places[id(other)] for other in near) / len(near) if near else places[id(item)]

        layer.sort(key=wanted)

    def _crossings(self) -> int:
        count = 0
        for upper, lower in pairwise(self.layers):
            places = {id(item): number for number, item in enumerate(lower)}
            ends = [sorted(places[id(other)] for other in item.below) for item in upper]
            seen: list[int] = []
            for group in ends:
                count += sum(before > place for place in group for before in seen)
                seen += group
        return count

    # -- places ------------------------------------------------------------------------------

    def place(self) -> None:
        """Move every item to the middle of its neighbours, as near as the others of its layer let it."""
        for layer in self.layers:
            _spread(layer, [0.0] * len(layer), [1.0] * len(layer))
        for sweep in range(SHIFTS):
            for layer in self.layers if sweep % 2 == 0 else self.layers[::-1]:
                pulls = [_pull(item) for item in layer]
                _spread(layer, [wanted for wanted, _ in pulls], [weight for _, weight in pulls])
        for chain in self.chains.values():
            self._straighten(chain)
        leftmost = min(item.x - item.left for item in self._items())
        for item in self._items():
            item.x -= leftmost

    def _straighten(self, chain: list[_Item]) -> None:
        """Bring an arrow that passes layers onto one x, where the others leave it the room."""
        least, most = -math.inf, math.inf
        for item in chain:
            layer = self.layers[item.layer]
            place = layer.index(item)
            if place > 0:
                least = max(least, layer[place - 1].x + layer[place - 1].right + BESIDE + item.left)
            if place + 1 < len(layer):
                most = min(most, layer[place + 1].x - layer[place + 1].left - BESIDE - item.right)
        if least <= most:
            middle = min(max(sum(item.x for item in chain) / len(chain), least), most)
            for item in chain:
                item.x = middle

    def _items(self) -> list[_Item]:
        return [item for layer in self.layers for item in layer]

    def _bands(self) -> list[Place]:
        """Top and bottom of every layer; where arrows go far to the side, there is more room between."""
        bands: list[Place] = []
        top = 0.0
        for layer in self.layers:
            bottom = top + max(item.height for item in layer)
            bands.append((top, bottom))
            reach = max((abs(item.x - other.x) for item in layer for other in item.below), default=0.0)
            top = bottom + max(BETWEEN, min(0.2 * reach, 3 * BETWEEN))
        return bands

    # -- the result --------------------------------------------------------------------------

    def layout(self) -> Layout:
        bands = self._bands()
        boxes = [
            LayoutBox(item.x, sum(bands[item.layer]) / 2, *size)
            for item, size in zip(self.boxes, self.sizes, strict=True)
        ]
        ports = self._ports(boxes)
        labels: dict[int, LayoutBox] = {}
        ways: dict[int, tuple[Place, ...]] = {}
        for number in self.chains:
            link, item = self.links[number], self.labels[number]
            labels[number] = LayoutBox(item.x, sum(bands[item.layer]) / 2, link.width, link.height)
            ways[number] = self._way(number, boxes, ports, bands)
        for box, loops in self.loops.items():
            self._add_loops(boxes[box], loops, labels, ways)
        order = range(len(self.links))
        width = max(item.x + item.right for item in self._items())
        return Layout(tuple(boxes), tuple(labels[n] for n in order), tuple(ways[n] for n in order), width, bands[-1][1])

    def _ports(self, boxes: list[LayoutBox]) -> dict[tuple[int, bool], float]:
        """Where each arrow meets its upper box (True) and its lower one (False): x, near to where it goes."""
        ports: dict[tuple[int, bool], float] = {}
        for item, box in zip(self.boxes, boxes, strict=True):
            for upper in (True, False):
                near = {n: chain[0 if upper else -1] for n, chain in self.chains.items() if item is self._end(n, upper)}
                numbers = sorted(near, key=lambda n: (self.layers[near[n].layer].index(near[n]), n))
                wanted = [min(max(near[n].x, box.left + PORT), box.right - PORT) for n in numbers]
                apart = _apart(wanted, [PORT] * (len(wanted) - 1), [1.0] * len(wanted))
                for place, n in enumerate(numbers):
                    least, most = box.left + PORT * (place + 1), box.right - PORT * (len(numbers) - place)
                    ports[n, upper] = min(max(apart[place], least), most)
        return ports

    def _end(self, number: int, upper: bool) -> _Item:
        chain = self.chains[number]
        return chain[0].above[0] if upper else chain[-1].below[0]

    def _way(
        self, number: int, boxes: list[LayoutBox], ports: dict[tuple[int, bool], float], bands: list[Place]
    ) -> tuple[Place, ...]:
        """Straight through the layers, curved only between them: so no arrow touches what is not its own."""
        link, chain = self.links[number], self.chains[number]
        upper, lower = self._end(number, True), self._end(number, False)
        start, end = (boxes[self.boxes.index(item)] for item in (upper, lower))
        places = [(ports[number, True], start.bottom), (ports[number, True], bands[upper.layer][1])]
        for item in chain:
            places += [(item.x, bands[item.layer][0]), (item.x, bands[item.layer][1])]
        places += [(ports[number, False], bands[lower.layer][0]), (ports[number, False], end.top)]
        way = [places[0]]
        for (x0, y0), (x1, y1) in pairwise(places):
            middle = (y0 + y1) / 2
            if y1 - y0 < 1e-6:  # an item as high as its layer: nothing to go through
                continue
            way += [(x0, middle), (x1, middle), (x1, y1)]
        return tuple(way if self.boxes[link.source] is upper else way[::-1])

    def _add_loops(
        self, box: LayoutBox, loops: list[int], labels: dict[int, LayoutBox], ways: dict[int, tuple[Place, ...]]
    ) -> None:
        rooms = [self.links[loop].height + BESIDE / 2 for loop in loops]
        y = box.y - sum(rooms) / 2
        for loop, room in zip(loops, rooms, strict=True):
            link, middle, half = self.links[loop], y + room / 2, min(room, 30.0) / 3
            labels[loop] = LayoutBox(box.right + LOOP + 4.0 + link.width / 2, middle, link.width, link.height)
            away, tip = box.right + LOOP * 0.75, box.right + LOOP
            ways[loop] = (
                (box.right, middle - half), (away, middle - half), (tip, middle - half), (tip, middle),
                (tip, middle + half), (away, middle + half), (box.right, middle + half),
            )  # fmt: skip
            y += room


def _ranks(count: int, links: Sequence[Link], first: int) -> list[int]:
    """The longest way to each box when every arrow is turned to lead away from the first."""
    order = list(dict.fromkeys(box for start in (first, *range(count)) for box in _reached(start, links)))
    position = {box: number for number, box in enumerate(order)}
    ranks = [0] * count
    for box in order:
        for link in links:
            if box in (link.source, link.target) and link.source != link.target:
                other = link.target if box == link.source else link.source
                if position[other] < position[box]:
                    ranks[box] = max(ranks[box], ranks[other] + 1)
    return ranks


def _reached(start: int, links: Sequence[Link]) -> list[int]:
    """The boxes that arrows lead to, nearest first."""
    found = [start]
    for box in found:
        found += dict.fromkeys(link.target for link in links if link.source == box and link.target not in found)
    return found


def _pull(item: _Item) -> tuple[float, float]:
    """The middle of an item's neighbours, and how strongly it is pulled there: arrows are to be straight."""
    near = [(other.x, 1.0 if item.is_box or other.is_box else 4.0) for other in (*item.above, *item.below)]
    if not near:
        return item.x, 0.1
    total = sum(weight for _, weight in near)
    return sum(x * weight for x, weight in near) / total, total


def _spread(layer: list[_Item], wanted: list[float], weights: list[float]) -> None:
    """Place a layer's items as near as they can be to where they are wanted."""
    gaps = [before.right + BESIDE + after.left for before, after in pairwise(layer)]
    for item, x in zip(layer, _apart(wanted, gaps, weights), strict=True):
        item.x = x


def _apart(wanted: list[float], gaps: list[float], weights: list[float]) -> list[float]:
    """The places x nearest to those wanted, in weighted squares, with x[i+1] - x[i] >= gaps[i].

    Without the gaps this is isotonic regression: neighbours that would overlap are moved together (Barlow, Bartholomew,
    Bremner and Brunk, *Statistical Inference under Order Restrictions*, 1972).

    >>> _apart([0.0, 0.0, 10.0], [4.0, 4.0], [1.0, 1.0, 1.0])
    [-2.0, 2.0, 10.0]
    """
    offsets = [sum(gaps[:number]) for number in range(len(wanted))]
    blocks: list[tuple[float, float, int]] = []
    for place, weight, offset in zip(wanted, weights, offsets, strict=True):
        block = (place - offset, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, mass, count = blocks.pop()
            together = mass + block[1]
            block = ((mean * mass + block[0] * block[1]) / together, together, count + block[2])
        blocks.append(block)
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
