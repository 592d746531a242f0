"""An automaton to read in a terminal."""

from __future__ import annotations

from detent.view.automaton_graph import AutomatonGraph, ModeNode, TransitionEdge
from detent.view.automaton_words import condition_words, count_words, guard_words, mode_words, reset_words, stay_words


def automaton_text(graph: AutomatonGraph) -> str:
    """The modes in order, each with the transitions that leave it; see :func:`draw_automaton`."""
    parts = [_heading(graph)]
    for node in graph.modes:
        leaving = [edge for edge in graph.transitions if edge.source == node.name]
        lines = [*_mode(node, graph.visited), *(line for edge in leaving for line in _transition(edge, graph.visited))]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _heading(graph: AutomatonGraph) -> str:
    declared = {edge.name for edge in graph.transitions}
    counts = f"{_counted(len(graph.modes), 'mode')}, {_counted(len(declared), 'transition')}"
    line = f"{graph.name}: {counts}; starts in '{graph.start}'"
    return line + (f"\nas run to t = {graph.until:.9g} s" if graph.until is not None else "")


def _mode(node: ModeNode, visited: bool) -> list[str]:
    lines = [node.name + (f"  ({stay_words(node.stay)})" if visited else "")]
    if node.mode is None:
        return [*lines, *(["  not declared: the run went there"] if node.is_missing else [])]
    return [*lines, *(f"  {line}" for line in mode_words(node.mode))]


def _transition(edge: TransitionEdge, visited: bool) -> list[str]:
    count = f"  ({_times(edge)})" if visited else ""
    if edge.accumulates:
        if edge.of_contacts:
            return [f"  {edge.name} -> {edge.target}  when impacts come without end (Zeno){count}"]
        return [f"    ends -> {edge.target}  when they come without end (Zeno){count}"]
    kind = "" if edge.kind == "transition" else f"  [{edge.kind}]"
    lines = [f"  {edge.name} -> {edge.target}{kind}{count}"]
    if edge.transition is None:
        return [*lines, *(["    not declared: the run took it"] if edge.is_missing else [])]
    transition = edge.transition
    facts = [("when", guard_words(transition.guard))]
    facts += [("if", condition_words(transition.condition_before))] if transition.condition_before else []
    facts += [("then", reset_words(step)) for step in transition.reset]
    facts += [("after", condition_words(transition.condition_after))] if transition.condition_after else []
    return [*lines, *(f"    {word:<5} {fact}" for word, fact in facts)]


def _times(edge: TransitionEdge) -> str:
    shown = [f"{time:.9g}" for time in edge.times[:: max(len(edge.times) - 1, 1)]]  # the first and the last
    return count_words(len(edge.times)) + (f", t = {' to '.join(shown)} s" if shown else "")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"
