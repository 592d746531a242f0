"""An automaton as a graph: its modes and transitions as declared, and as a run visited them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, final

from detent.errors import DetentError, MissingExtraError, UnknownNameError, listed
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import Mode
from detent.hybrid.transition import Transition
from detent.model.system import System
from detent.results.run import Run
from detent.results.visits import Passage, Stay, passages, stays
from detent.view.files import PICTURES, check_ending, svg_text, write_picture, write_text


@final
@dataclass(frozen=True)
class ModeNode:
    """A mode; ``mode`` is None for one that only the run knows, ``stay`` for one that it did not visit."""

    name: str
    mode: Mode | None = None
    stay: Stay | None = None
    of_contacts: bool = False
    """Whether it is what contacts do, which nobody declares."""

    @property
    def is_missing(self) -> bool:
        """Whether it should have been declared, and was not."""
        return self.mode is None and not self.of_contacts


@final
@dataclass(frozen=True)
class TransitionEdge:
    """A way from a mode to a mode, and when a run took it (s).

    ``transition`` is None for one that only the run knows. Where transitions accumulate (Zeno), the way to the mode in
    which the run goes on is an edge of its own.
    """

    name: str
    source: str
    target: str
    kind: str
    transition: Transition | None = None
    times: tuple[float, ...] = ()
    of_contacts: bool = False
    """Whether it is what happened to contacts, which nobody declares."""

    @property
    def is_missing(self) -> bool:
        """Whether it should have been declared, and was not."""
        return self.transition is None and not self.of_contacts

    @property
    def accumulates(self) -> bool:
        """Whether this is the way out of transitions that come faster and faster without end."""
        return self.kind == "zeno"


@final
@dataclass(frozen=True)
class AutomatonGraph:
    """The graph of an automaton, to be looked at, drawn and written down; made by :func:`draw_automaton`.

    Without a run, ``run_name`` is None and no mode has a stay. A notebook shows the picture.
    """

    name: str
    start: str
    modes: tuple[ModeNode, ...]
    transitions: tuple[TransitionEdge, ...]
    run_name: str | None = None
    until: float | None = None
    """Where the run ended, s."""
    met: tuple[str, ...] = ()
    """The modes that the run visited, in the order in which it came to them."""

    @property
    def visited(self) -> bool:
        """Whether this is the graph as a run visited it."""
        return self.run_name is not None

    def figure(self, lit: str | None = None) -> Any:
        """The picture, a matplotlib figure, with a mode ``lit`` where one is named; needs the extra ``plot``."""
        from detent.view.automaton_drawing import automaton_figure

        if lit is not None and lit not in [node.name for node in self.modes]:
            raise UnknownNameError(lit, [node.name for node in self.modes], what="mode")
        return automaton_figure(self, lit)

    def as_json(self) -> dict[str, Any]:
        """Everything as an object for JSON: modes, transitions, guards, resets, visits and times."""
        from detent.view.automaton_export import as_json

        return as_json(self)

    def mermaid(self) -> str:
        """The graph as a Mermaid state diagram, for Markdown pages."""
        from detent.view.automaton_export import mermaid

        return mermaid(self)

    def text(self) -> str:
        """The modes and their transitions, to read in a terminal."""
        from detent.view.automaton_text import automaton_text

        return automaton_text(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file: a picture (png, svg, pdf), ``.json`` or ``.mmd`` (Mermaid)."""
        check_ending(path, FORMATS, "automata")
        text = _TEXTS.get(os.path.splitext(path)[1].lower())
        if text is None:
            write_picture(self.figure(), path)
        else:
            write_text(text(self), path)

    def _repr_html_(self) -> str | None:
        try:
            text = svg_text(self.figure())
        except MissingExtraError:  # then a notebook shows one line of text
            return None
        return text[text.index("<svg ") :].replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1)

    def __repr__(self) -> str:
        seen = f", as '{self.run_name}' visited it" if self.visited else ""
        return f"<graph of '{self.name}': {len(self.modes)} modes, {len(self.transitions)} transitions{seen}>"


def _json_text(graph: AutomatonGraph) -> str:
    from detent.view.automaton_export import json_text

    return json_text(graph)


_TEXTS: Final[dict[str, Callable[[AutomatonGraph], str]]] = {".json": _json_text, ".mmd": AutomatonGraph.mermaid}
"""What is no picture, by the ending of its file."""
FORMATS: Final = (*PICTURES, *_TEXTS)


def draw_automaton(
    automaton: Automaton | System, path: str | os.PathLike[str] | None = None, run: Run | None = None
) -> AutomatonGraph:
    """The graph of an automaton as declared or, given a run of it, as visited: counts on the transitions, visits and
    times in the modes, what was never visited pale.

    Of a system with contacts, or an automaton of one, the modes are what its contacts did in the run: nobody declares
    them, so a run is needed.

    ``path`` writes a file: a picture (png, svg, pdf; needs the extra ``plot``), ``.json``, or ``.mmd`` (Mermaid). The
    graph that is returned shows itself in a notebook, and has ``figure()``, ``text()``, ``as_json()``, ``mermaid()``.

    >>> import detent
    >>> system = detent.System("lamp")
    >>> warmth = system.signal("warmth", 1)
    >>> automaton = detent.Automaton(system)
    >>> on, off = automaton.mode("on"), automaton.mode("off")
    >>> for name, source, target in (("too warm", on, off), ("cold again", off, on)):
    ...     _ = automaton.transition(name, source, target, when=warmth >= 2, reset={warmth: 0})
    >>> print(detent.draw_automaton(automaton).text())
    lamp: 2 modes, 2 transitions; starts in 'on'
    <BLANKLINE>
    on
      too warm -> off
        when  warmth >= 2
        then  warmth := 0
    <BLANKLINE>
    off
      cold again -> on
        when  warmth >= 2
        then  warmth := 0
    """
    if path is not None:
        check_ending(path, FORMATS, "automata")
    graph = _graph(automaton, run)
    if path is not None:
        graph.write(path)
    return graph


def _graph(automaton: Automaton | System, run: Run | None) -> AutomatonGraph:
    system = automaton.system if isinstance(automaton, Automaton) else automaton
    if isinstance(system, System) and system.contacts:
        return _of_contacts(automaton.name, list(system.contacts), run)
    if not isinstance(automaton, Automaton):
        raise DetentError(
            f"found {automaton!r} where an automaton was expected; give a detent.Automaton, or a system with contacts"
        )
    graph = _declared(automaton)
    return graph if run is None else _visited(graph, run)


def _of_contacts(name: str, contacts: list[str], run: Run | None) -> AutomatonGraph:
    """What contacts did in a run, as modes and transitions."""
    if run is None:
        raise DetentError(
            f"'{name}' has contacts, whose modes are those that a run comes to; give a run of it (run=, or --run on "
            "the command line)"
        )
    if list(run.contacts) != contacts:
        raise DetentError(
            f"the run '{run.name}' has the contacts {listed(run.contacts)}, '{name}' has {listed(contacts)}; give a "
            "run of this model, or simulation.system where contacts came during the run"
        )
    stayed = stays(run)
    return AutomatonGraph(
        name=name,
        start=next(iter(stayed)),
        modes=tuple(ModeNode(mode, stay=stay, of_contacts=True) for mode, stay in stayed.items()),
        transitions=tuple(
            TransitionEdge(p.name, p.source, p.target, p.kind, times=times, of_contacts=True)
            for p, times in passages(run).items()
        ),
        run_name=run.name,
        until=float(run.t[-1]),
        met=tuple(stayed),
    )


def _declared(automaton: Automaton) -> AutomatonGraph:
    return AutomatonGraph(
        name=automaton.name,
        start=automaton.first().name,
        modes=tuple(ModeNode(mode.name, mode) for mode in automaton.modes.values()),
        transitions=tuple(edge for transition in automaton.transitions for edge in _edges(transition)),
    )


def _edges(transition: Transition) -> Iterator[TransitionEdge]:
    source, target = transition.source.name, transition.target.name
    yield TransitionEdge(transition.name, source, target, transition.kind, transition)
    if transition.accumulates is not None:
        yield TransitionEdge(transition.name, source, transition.accumulates.name, "zeno", transition)


def _visited(graph: AutomatonGraph, run: Run) -> AutomatonGraph:
    stayed, taken = stays(run), passages(run)
    names = [node.name for node in graph.modes]
    if not set(stayed) & set(names):
        raise DetentError(
            f"the run '{run.name}' visited {listed(stayed)}, none of which is a mode of the automaton "
            f"'{graph.name}' ({listed(names)}); give a run of this automaton"
        )
    modes = [replace(node, stay=stayed.get(node.name)) for node in graph.modes]
    modes += [ModeNode(name, stay=stay) for name, stay in stayed.items() if name not in names]
    edges = []
    for edge in graph.transitions:
        of_this = [passage for passage in taken if _belongs(passage, edge)]
        edges.append(replace(edge, times=tuple(time for passage in of_this for time in taken.pop(passage))))
    edges += [TransitionEdge(p.name, p.source, p.target, p.kind, times=times) for p, times in taken.items()]
    return replace(
        graph,
        start=next(iter(stayed)),
        modes=tuple(modes),
        transitions=tuple(edges),
        run_name=run.name,
        until=float(run.t[-1]),
        met=tuple(stayed),
    )


def _belongs(passage: Passage, edge: TransitionEdge) -> bool:
    between = (passage.name, passage.source, passage.target) == (edge.name, edge.source, edge.target)
    return between and (passage.kind == "zeno") == edge.accumulates
