"""An automaton for other programs: JSON and Mermaid."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from detent.model.wording import all_digits
from detent.results.json_values import json_object
from detent.view.automaton_graph import AutomatonGraph, ModeNode, TransitionEdge
from detent.view.automaton_words import (
    condition_words,
    count_words,
    guard_words,
    mode_words,
    reset_words,
    stay_words,
)

_READ_BY_MERMAID: Final = re.compile(r"[^\w .,+/()='\-|!?@]|^[-+]|^\d(?=\d*[.)])|(?i:(?<=directio)n(?=\s))")
"""What Mermaid would take for its own: marks of its grammar and of Markdown, the beginning of a list, and the words
that set the direction of a diagram."""


# -- JSON --------------------------------------------------------------------------------------


def as_json(graph: AutomatonGraph) -> dict[str, Any]:
    """See :meth:`AutomatonGraph.as_json`. Expressions are texts as SymPy prints them.

    A transition is one entry; ``accumulates`` is the mode in which a run goes on when such transitions come without
    end, and ``accumulated`` holds the times at which it did.
    """
    ends = {(edge.name, edge.source): edge for edge in graph.transitions if edge.accumulates and edge.transition}
    edges = [edge for edge in graph.transitions if edge not in ends.values()]
    made: dict[str, Any] = {"automaton": graph.name, "start": graph.start}
    if graph.visited:
        made["run"] = {"name": graph.run_name, "until": graph.until}
    made["modes"] = [_mode(node, graph.visited) for node in graph.modes]
    made["transitions"] = [_transition(edge, ends.get((edge.name, edge.source)), graph.visited) for edge in edges]
    return json_object(made)


def json_text(graph: AutomatonGraph) -> str:
    """The JSON object as the text of a file."""
    return json.dumps(as_json(graph), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _mode(node: ModeNode, visited: bool) -> dict[str, Any]:
    mode = node.mode
    made: dict[str, Any] = {"name": node.name, "declared": mode is not None}
    if mode is not None:
        made["constraints"] = [constraint.name for constraint in mode.constraints]
        made["loads"] = list(mode.loads)
        made["where"] = _conditions(mode.where)
    if visited:
        made["visits"] = 0 if node.stay is None else node.stay.visits
        made["time"] = 0.0 if node.stay is None else node.stay.time
    return made


def _transition(edge: TransitionEdge, end: TransitionEdge | None, visited: bool) -> dict[str, Any]:
    transition = edge.transition
    made: dict[str, Any] = {"name": edge.name, "from": edge.source, "to": edge.target, "kind": edge.kind}
    made["declared"] = transition is not None
    if transition is not None:
        guard = transition.guard
        made["guard"] = {"expression": all_digits(guard.expression), "direction": guard.direction}
        made["condition_before"] = _conditions(transition.condition_before)
        made["condition_after"] = _conditions(transition.condition_after)
        made["reset"] = [step.as_json(all_digits) for step in transition.reset]
        made["accumulates"] = None if end is None else end.target
    if visited:
        made |= {"count": len(edge.times), "times": edge.times}
        made |= {} if end is None else {"accumulated": end.times}
    return made


def _conditions(conditions: tuple[Any, ...]) -> list[str]:
    return [f"{all_digits(condition)} >= 0" for condition in conditions]


# -- Mermaid -----------------------------------------------------------------------------------


def mermaid(graph: AutomatonGraph) -> str:
    """See :meth:`AutomatonGraph.mermaid`."""
    short = {node.name: f"mode{number}" for number, node in enumerate(graph.modes, 1)}
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{_label(_mode_lines(node, graph.visited))}" as {short[node.name]}' for node in graph.modes]
    lines.append(f"    [*] --> {short[graph.start]}")
    for edge in graph.transitions:
        label = _label(_transition_lines(edge, graph.visited))
        lines.append(f"    {short[edge.source]} --> {short[edge.target]} : {label}")
    pale = [short[node.name] for node in graph.modes if graph.visited and node.stay is None]
    if pale:
        lines += ["    classDef never fill:#ffffff,stroke:#bbbbbb,color:#999999", f"    class {','.join(pale)} never"]
    return "\n".join(lines) + "\n"


def _mode_lines(node: ModeNode, visited: bool) -> list[str]:
    lines = [node.name, *([] if node.mode is None else mode_words(node.mode))]
    return [*lines, *([stay_words(node.stay)] if visited else [])]


def _transition_lines(edge: TransitionEdge, visited: bool) -> list[str]:
    count = [count_words(len(edge.times))] if visited else []
    if edge.accumulates:
        return [f"{edge.name}, without end", *count]
    if edge.transition is None:
        return [edge.name, *count]
    transition = edge.transition
    lines = [edge.name, "when " + guard_words(transition.guard)]
    lines += ["if " + condition_words(transition.condition_before)] if transition.condition_before else []
    lines += [reset_words(step) for step in transition.reset]
    lines += ["after it " + condition_words(transition.condition_after)] if transition.condition_after else []
    return lines + count


def _label(lines: list[str]) -> str:
    """Lines as one label, its marks written as character codes.

    >>> _label(["is it: <=", "50 %"])
    'is it#58; #60;=<br/>50 #37;'
    """
    return "<br/>".join(_READ_BY_MERMAID.sub(lambda found: f"#{ord(found[0])};", line) for line in lines)
