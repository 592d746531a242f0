"""The automaton of contacts as a run visited it: statuses are its modes."""

from __future__ import annotations

from pathlib import Path

import pytest

import detent
from tests.physics.contact_scenes import ball, block


def test_statuses_are_modes_and_what_happened_are_transitions(tmp_path: Path) -> None:
    system = ball(0.5)
    run = detent.simulate(system, until=2)
    graph = detent.draw_automaton(system, tmp_path / "ball.svg", run)
    assert (tmp_path / "ball.svg").stat().st_size > 0
    assert [node.name for node in graph.modes] == ["free", "ball|floor: slip"]
    assert [(edge.name, edge.kind, len(edge.times)) for edge in graph.transitions] == [
        ("ball|floor: bounce", "impact", len(run.events.of_kind("impact"))),
        ("ball|floor: open -> slip", "zeno", 1),
    ]
    for text in (graph.text(), graph.mermaid()):
        assert "not declared" not in text
        assert "ball|floor" in text


def test_contacts_of_an_automaton_stand_beside_its_modes() -> None:
    system = ball(0.0)
    automaton = detent.Automaton(system)
    through, caught = automaton.mode("through", contacts=[]), automaton.mode("caught", contacts=["ball|floor"])
    automaton.transition("turns on", through, caught, when=system.time >= 0.2)
    graph = detent.draw_automaton(automaton, run=detent.simulate(automaton, until=1, mode="through"))
    assert [node.name for node in graph.modes] == ["through", "caught", "caught, ball|floor: slip"]


def test_modes_of_contacts_need_a_run_of_the_same_model() -> None:
    with pytest.raises(
        detent.DetentError, match="'ball' has contacts, whose modes are those that a run comes to; give a"
    ):
        detent.draw_automaton(ball(0.5))
    other = detent.simulate(block(None, 0.0), until=0.1)
    with pytest.raises(
        detent.DetentError, match=r"has the contacts block\|slope, 'ball' has ball\|floor; give a run of"
    ):
        detent.draw_automaton(ball(0.5), run=other)
    with pytest.raises(detent.DetentError, match=r"give a detent\.Automaton, or a system with contacts"):
        detent.draw_automaton(detent.System("nothing"))
