"""Forward dynamics in a number of operations that grows only with the number of speeds.

The articulated-body recursion (Featherstone 1983), on the graph. All twists are already along one frame
at one reference point, so nothing has to be transformed on the way: inertias and wrenches are added
as they are. Speeds form a tree (the next speed of a chain hangs from the one before); each is
eliminated in turn, leaves first.

It applies when every speed has one partial twist, the same for every body it carries. Speeds defined
across a joint (absolute angles, say) do not, and are solved by factorisation instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from detent.dynamics.inertia import Element, Row, Square, pick
from detent.dynamics.kinematics import REMAINDER, Partial
from detent.expr.graph import Graph, Node


@dataclass(eq=False)
class Branch:
    """One speed in the tree, with what hangs from it."""

    speed: int
    twist: Row
    parent: Branch | None
    children: list[Branch] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    """Numbers of the bodies that this speed is the last to carry."""


def speed_tree(elements: list[Element], active: tuple[int, ...], count: int) -> Branch | None:
    """The tree of speeds below a root that stands still, or None where they form no tree."""
    root = Branch(-1, (), None)
    known: dict[tuple[int, int, Partial], Branch] = {}
    place: dict[int, Branch] = {}
    for number, element in enumerate(elements):
        branch = root
        for r, partial in element.twist.items():
            if r == REMAINDER:
                continue
            key = (id(branch), r, partial)
            if key not in known:
                if r in place:
                    return None
                known[key] = place[r] = Branch(r, pick(partial, active), branch)
                branch.children.append(known[key])
            branch = known[key]
        branch.bodies.append(number)
    return root if len(place) == count else None


def recursive_accelerations(
    graph: Graph, root: Branch, inertias: list[Square], wrenches: list[Row], generalized: list[Node]
) -> list[Node]:
    """u' of every speed; ``wrenches`` act on the bodies, ``generalized`` on the speeds themselves."""
    inward: list[Branch] = []
    stack = list(root.children)
    while stack:
        branch = stack.pop()
        inward.append(branch)
        stack.extend(branch.children)
    solved: dict[Branch, tuple[Row, Node, Node]] = {}  # momentum, inverse resistance, push
    carried: dict[Branch, tuple[Square, Row]] = {}
    for branch in reversed(inward):
        inertia, wrench = _gathered(branch, inertias, wrenches, carried)
        momentum = tuple(graph.dot(row, branch.twist) for row in inertia)
        inverse = graph.one / graph.dot(momentum, branch.twist)
        push = generalized[branch.speed] + graph.dot(branch.twist, wrench)
        solved[branch] = (momentum, inverse, push)
        if branch.parent is not root:
            carried[branch] = _passed_on(graph, inertia, wrench, momentum, inverse, push)
    rates: list[Node] = [graph.zero] * len(generalized)
    motion: dict[Branch, Row] = {}
    for branch in inward:
        momentum, inverse, push = solved[branch]
        assert branch.parent is not None
        above = motion.get(branch.parent)
        if above is not None:
            push = push - graph.dot(momentum, above)
        rate = rates[branch.speed] = push * inverse
        own = tuple(rate * value for value in branch.twist)
        motion[branch] = own if above is None else tuple(a + b for a, b in zip(above, own, strict=True))
    return rates


def _gathered(
    branch: Branch, inertias: list[Square], wrenches: list[Row], carried: dict[Branch, tuple[Square, Row]]
) -> tuple[Square, Row]:
    """The inertia and wrench of a branch's own bodies and of all that hangs from it."""
    parts = [(inertias[number], wrenches[number]) for number in branch.bodies]
    parts += [carried[child] for child in branch.children]
    inertia, wrench = parts[0]
    for more, push in parts[1:]:
        inertia = tuple(tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(inertia, more, strict=True))
        wrench = tuple(a + b for a, b in zip(wrench, push, strict=True))
    return inertia, wrench


def _passed_on(
    graph: Graph, inertia: Square, wrench: Row, momentum: Row, inverse: Node, push: Node
) -> tuple[Square, Row]:
    """What the parent feels of a branch whose own speed is free to give way."""
    gain = tuple(value * inverse for value in momentum)
    size = range(len(momentum))
    upper = {(i, j): inertia[i][j] - gain[i] * momentum[j] for i in size for j in size if j >= i}
    left = tuple(tuple(upper[min(i, j), max(i, j)] for j in size) for i in size)
    return left, tuple(a - b * push for a, b in zip(wrench, gain, strict=True))
