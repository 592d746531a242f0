"""The picture of an automaton: modes as boxes, transitions as arrows with their guards and resets."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from detent.hybrid.reset_step import ResetStep
from detent.view.automaton_graph import AutomatonGraph, ModeNode, TransitionEdge
from detent.view.automaton_words import each_condition, guard_words, mode_words, stay_words, words
from detent.view.files import new_figure
from detent.view.layered_layout import LayoutBox, Link, Place, layered
from detent.view.mode_colours import mode_colours

INK, GREY, PALE, PAPER = "#222222", "#666666", "#b4b4b4", "#ffffff"
LIGHT: Final = "#f5a623"
FONT: Final = "DejaVu Sans"
"""Comes with matplotlib, so that a picture looks the same everywhere."""
MARGIN: Final = 16.0
HEAD: Final = 52.0
"""Room above for the title and for the dot that marks the start, in points."""
WIDTH: Final = 44
"""Longer lines of a label are broken, in characters."""
MOST_LINES: Final = 3
"""What is longer is cut; the text and the JSON have it all."""


@final
@dataclass(frozen=True)
class _LabelLine:
    """A line of a label."""

    text: str
    size: float
    bold: bool = False

    @property
    def height(self) -> float:
        return 1.35 * self.size

    def width(self) -> float:
        from matplotlib.textpath import text_to_path

        width, _, _ = text_to_path.get_text_width_height_descent(self.text, self.font(), ismath=False)
        return float(width)

    def font(self) -> Any:
        from matplotlib.font_manager import FontProperties

        return FontProperties(family=FONT, size=self.size, weight="bold" if self.bold else "normal")


def automaton_figure(graph: AutomatonGraph, lit: str | None = None) -> Any:
    """The picture as a matplotlib figure; see :meth:`AutomatonGraph.figure`."""
    figure = new_figure("draw an automaton")
    modes = [_mode_lines(node, graph.visited) for node in graph.modes]
    arrows = [_transition_lines(edge, graph.visited) for edge in graph.transitions]
    numbers = {node.name: number for number, node in enumerate(graph.modes)}
    layout = layered(
        [_size(lines, 10.0) for lines in modes],
        [
            Link(numbers[edge.source], numbers[edge.target], *_size(lines, 2.0))
            for edge, lines in zip(graph.transitions, arrows, strict=True)
        ],
        numbers[graph.start],
    )
    title = _LabelLine(_title(graph), 11.0, bold=True)
    width = max(layout.width, title.width()) + 2 * MARGIN
    axes = _page(figure, width, layout.height + HEAD + 2 * MARGIN)
    _write(axes, [title], LayoutBox(title.width() / 2, -HEAD + title.height / 2, 0, 0), INK)
    for edge, way, label, lines in zip(graph.transitions, layout.ways, layout.labels, arrows, strict=True):
        _arrow(axes, way, edge, graph.visited)
        colour = PALE if graph.visited and not edge.times else INK
        _write(axes, lines, label, colour, beside=edge.source == edge.target)
    colours = mode_colours(graph.met)
    for node, box, lines in zip(graph.modes, layout.boxes, modes, strict=True):
        if node.name == lit:
            _light(axes, box)
        _box(axes, box, colours.get(node.name), pale=graph.visited and node.stay is None)
        _write(axes, lines, box, GREY if graph.visited and node.stay is None else INK)
    _start(axes, layout.boxes[numbers[graph.start]])
    return figure


def _title(graph: AutomatonGraph) -> str:
    return graph.name + (f", as run to t = {graph.until:.6g} s" if graph.until is not None else "")


# -- what labels say ---------------------------------------------------------------------------


def _mode_lines(node: ModeNode, visited: bool) -> list[_LabelLine]:
    facts = mode_words(node.mode) if node.mode is not None else ["not declared"] * node.is_missing
    lines = [_LabelLine(part, 10.5, bold=True) for part in _broken(node.name)]
    lines += [_LabelLine(part, 8.0) for fact in facts for part in _broken(_names_whole(fact))]
    return [*lines, *([_LabelLine(stay_words(node.stay), 8.5)] if visited else [])]


def _transition_lines(edge: TransitionEdge, visited: bool) -> list[_LabelLine]:
    count = f" \N{MULTIPLICATION SIGN} {len(edge.times)}" if visited and edge.times else ""
    name = f"{edge.name}, without end{count}" if edge.accumulates else edge.name + count
    facts = []
    if edge.transition is not None and not edge.accumulates:
        transition = edge.transition
        facts.append(guard_words(transition.guard))
        facts += _each("if", transition.condition_before)
        facts += [line for step in transition.reset for line in _reset_lines(step)]
        facts += _each("after it", transition.condition_after)
    return [
        *(_LabelLine(part, 8.5, bold=True) for part in _broken(name)),
        *(_LabelLine(part, 8.0) for fact in facts for part in _broken(fact)),
    ]


def _names_whole(fact: str) -> str:
    """A list of names, to be broken after commas only."""
    space = "\N{NO-BREAK SPACE}"
    return fact if fact.startswith("where ") else fact.replace(" ", space).replace(f",{space}", ", ")


def _each(word: str, conditions: tuple[Any, ...]) -> list[str]:
    """A line for each condition."""
    return [f"{'and' if number else word} {told}" for number, told in enumerate(each_condition(conditions))]


def _reset_lines(step: ResetStep) -> list[str]:
    """A line for each thing that a step does; of many things the first few."""
    lines = step.lines(words)
    more = len(lines) - MOST_LINES
    return lines if more <= 1 else [*lines[:MOST_LINES], f"and {more} more"]


def _broken(text: str) -> list[str]:
    """A text in lines that are not too long, and not too many of them; what := and a comparison join stays joined."""
    kept = re.sub(r" ([<>=]=?) 0| (:=) ", _joined, text)
    lines = textwrap.wrap(kept, WIDTH, break_on_hyphens=False) or [text]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][: WIDTH - 2] + " \N{HORIZONTAL ELLIPSIS}"]
    return lines


def _joined(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\N{NO-BREAK SPACE}")


def _size(lines: Sequence[_LabelLine], around: float) -> Place:
    return max(line.width() for line in lines) + 2 * around, sum(line.height for line in lines) + around


# -- drawing -----------------------------------------------------------------------------------


def _page(figure: Any, width: float, height: float) -> Any:
    """Axes in points over the whole figure, y down, the origin where the layout begins."""
    figure.set_size_inches(width / 72, height / 72)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(-MARGIN, width - MARGIN)
    axes.set_ylim(height - HEAD - MARGIN, -HEAD - MARGIN)
    return axes


def _write(axes: Any, lines: Sequence[_LabelLine], box: LayoutBox, colour: str, beside: bool = False) -> None:
    """Lines of text in the middle of a box, over whatever passes there; or at its left side, ``beside`` a loop."""
    from matplotlib.patches import Rectangle

    place = (box.left, box.top)
    axes.add_patch(Rectangle(place, box.width, box.height, facecolor=PAPER, edgecolor="none", zorder=2))
    x, align = (box.left, "left") if beside else (box.x, "center")
    y = box.y - sum(line.height for line in lines) / 2
    for line in lines:
        y += line.height / 2
        axes.text(x, y, line.text, fontproperties=line.font(), color=colour, ha=align, va="center_baseline",
                  parse_math=False, zorder=4)  # fmt: skip
        y += line.height / 2


def _box(axes: Any, box: LayoutBox, colour: str | None, pale: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.left, box.top), box.width, box.height, boxstyle="round,pad=0,rounding_size=7",
            facecolor=colour or PAPER, edgecolor=PALE if pale else INK, linewidth=1.0,
            linestyle=(0, (4, 3)) if pale else "solid", zorder=3,
        )
    )  # fmt: skip


def _light(axes: Any, box: LayoutBox) -> None:
    """A glow around the mode that a run is in."""
    from matplotlib.patches import FancyBboxPatch

    for around, alpha in ((7.0, 0.25), (4.5, 1.0)):
        axes.add_patch(
            FancyBboxPatch(
                (box.left, box.top), box.width, box.height, boxstyle=f"round,pad={around},rounding_size=9",
                facecolor=LIGHT, edgecolor="none", alpha=alpha, zorder=2.5,
            )
        )  # fmt: skip


def _arrow(axes: Any, way: Sequence[Place], edge: TransitionEdge, visited: bool) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    colour = PALE if visited and not edge.times else INK
    width = 1.0 + (0.5 * math.log10(len(edge.times)) if edge.times else 0.0)
    line = Path(way, [Path.MOVETO] + [Path.CURVE4] * (len(way) - 1))
    dashes = (0, (4, 2)) if edge.accumulates else "solid"
    axes.add_patch(
        PathPatch(line, facecolor="none", edgecolor=colour, linewidth=width, linestyle=dashes, capstyle="butt")
    )
    _head(axes, way[-2], way[-1], colour)


def _head(axes: Any, before: Place, tip: Place, colour: str) -> None:
    """An arrow head; arrows end straight up, straight down or to the left."""
    from matplotlib.patches import Polygon

    across, along = tip[0] - before[0], tip[1] - before[1]
    length = math.hypot(across, along)
    x, y = across / length, along / length
    base = (tip[0] - 8 * x, tip[1] - 8 * y)
    corners = [tip, (base[0] - 3.2 * y, base[1] + 3.2 * x), (base[0] + 3.2 * y, base[1] - 3.2 * x)]
    axes.add_patch(Polygon(corners, facecolor=colour, edgecolor="none", zorder=3))


def _start(axes: Any, box: LayoutBox) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((box.x, box.top - 22), 4.5, facecolor=INK, edgecolor="none", zorder=3))
    axes.plot([box.x, box.x], [box.top - 22, box.top - 7], color=INK, linewidth=1.0, zorder=3)
    _head(axes, (box.x, box.top - 22), (box.x, box.top), INK)
