"""The equations of modes of contacts, by the names of their rows; and what a notebook shows."""

from __future__ import annotations

import pytest

import detent


def test_a_foot_that_sticks_turns_the_ladder_about_it() -> None:
    text = detent.equations(detent.example("ladder"), "foot|floor: stick").text()
    assert "  foot|floor.normal: gap(foot|floor) = 0" in text.splitlines()
    assert "  foot|floor.friction: slip 1(foot|floor) = 0" in text.splitlines()
    assert "  y' = 0" in text.splitlines()


def test_a_foot_that_slips_has_a_row_with_friction() -> None:
    equations = detent.equations(detent.example("ladder"), "foot|floor: slip")
    assert "gap(foot|floor) = 0, sliding along slip 1(foot|floor) with friction" in equations.text()
    assert r"\mathrm{gap}_{\mathrm{foot|floor}} = 0" in equations.latex()


def test_a_status_that_no_contact_has_is_reported_with_those_that_exist() -> None:
    with pytest.raises(detent.UnknownNameError, match=r"no status of a contact named 'foot\|floor: glue'.*stick"):
        detent.equations(detent.example("ladder"), "foot|floor: glue")


def test_a_notebook_shows_systems_automata_and_runs() -> None:
    example = detent.example("bouncing-ball")
    assert "<caption>bouncing ball</caption>" in example.system._repr_html_()
    assert example.automaton is not None
    picture = example.automaton._repr_html_()
    assert picture is None or "<svg" in picture
    assert detent.equations(example)._repr_latex_().startswith(r"$\displaystyle \begin{aligned}")
