"""``detent automaton``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from detent.cli.given import given_values, prepared_example
from detent.cli.outputs import check_outputs
from detent.cli.shared import RUN_FAILED, Model, SetValues, fail
from detent.cli.simulated import simulated
from detent.errors import DetentError, ValueProblem


def automaton(
    model: Model,
    settings: SetValues = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Write it: svg, png, pdf, json or mmd (Mermaid).")
    ] = None,
    visited: Annotated[bool, typer.Option("--run", help="Simulate, and show what was visited.")] = False,
    until: Annotated[str | None, typer.Option(metavar="T", help="How long to simulate, s; with --run.")] = None,
) -> None:
    """Show the modes and transitions of an example or a model file, as declared or as visited."""
    from detent.expr.text import number_from_text
    from detent.view.automaton_graph import FORMATS, draw_automaton
    from detent.view.files import check_ending

    check_outputs([out])
    if out is not None:
        check_ending(out, FORMATS, "automata")
    if until is not None and not visited:
        raise ValueProblem("--until says how long to simulate, which needs --run; add it, or leave --until out")
    example, values = prepared_example(model, given_values(settings))
    shown = example.automaton or (example.system if example.system.contacts else None)
    if shown is None:
        raise DetentError(
            f"'{example.name}' has no automaton: its constraints do not change by themselves; choose an example with "
            "modes and transitions, or leave behind 'automaton' (a detent.Automaton) in the file"
        )
    changes = values if until is None else values | {"until": number_from_text(until)}
    result, failure = simulated(example, changes, False) if visited else (None, None)
    graph = draw_automaton(shown, out, result)
    print(graph.text() if out is None else f"drawn in {out}")
    if failure is not None:
        fail(str(failure), RUN_FAILED)
