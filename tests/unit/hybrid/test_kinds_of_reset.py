"""A kind of reset is one class: what it answers is all that runs, pictures and exports ask for."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import detent
from detent.hybrid.reset_step import Made, ResetStep, Tools, Write


@dataclass(frozen=True, eq=False)
class Slowed(ResetStep):
    """A coordinate's rate becomes a part of what it was, by whichever tool is asked for."""

    is_impact: ClassVar[bool] = False
    calls_python: ClassVar[bool] = False

    coordinate: Any
    part: float
    tool: str

    @property
    def constraints(self) -> tuple[str, ...]:
        return ()

    def lines(self, write: Write) -> list[str]:
        return [f"slowed to {self.part}"]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {"slowed": str(self.coordinate), "part": self.part}

    def made(self, tools: Tools[Made]) -> Made:
        if self.tool == "assign":
            return tools.assign({self.coordinate.rate: self.part * self.coordinate.rate})
        if self.tool == "strike":
            return tools.strike(detent.Impact("wall", restitution=self.part))
        name = f"{self.coordinate}_rate"
        return tools.call(lambda moment: {name: self.part * moment[name]})


def _sled(tool: str, before: Any = None) -> detent.Automaton:
    system = detent.System("sled")
    x = system.coordinates(x=1)
    system.start(x_rate=-1)
    system.particle("sled", system.origin.offset("sled", x * system.ground.x), mass=2)
    system.constrain(detent.holonomic("wall", x), active=False)
    automaton = detent.Automaton(system)
    glide, after = automaton.mode("glide"), automaton.mode("after")
    slowed = Slowed(x, 0.25, tool)
    automaton.transition("slows", glide, after, when=x <= 0, reset=slowed if before is None else [before, slowed])
    return automaton


@pytest.mark.parametrize(("tool", "rate"), [("assign", -0.25), ("strike", 0.25), ("call", -0.25)])
def test_a_kind_of_reset_runs_by_every_tool(tool, rate):
    run = detent.simulate(_sled(tool), until=2)
    assert run.mode == "after"
    assert run.x_rate[-1] == pytest.approx(rate, abs=1e-15)


@pytest.mark.parametrize("tool", ["assign", "strike", "call"])
def test_a_kind_of_reset_runs_after_a_function(tool):
    def doubled(moment):
        return {"x_rate": 2 * moment["x_rate"]}

    run = detent.simulate(_sled(tool, doubled), until=1.5)
    assert abs(run.x_rate[-1]) == pytest.approx(0.5, abs=1e-15)


def test_a_kind_of_reset_is_shown_in_its_own_words():
    graph = detent.draw_automaton(_sled("assign"))
    assert "then  slowed to 0.25" in graph.text()
    assert "slowed to 0.25" in graph.mermaid()
    assert "slowed to 0.25" in [text.get_text() for text in graph.figure().axes[0].texts]
    assert graph.as_json()["transitions"][0]["reset"] == [{"slowed": "x", "part": 0.25}]


def test_a_kind_of_reset_may_only_set_what_can_be_set():
    automaton = _sled("assign")
    other = detent.System("other").coordinates("x")
    glide = automaton.modes["glide"]
    automaton.transition("strays", glide, glide, when=automaton.system.time - 1, reset=Slowed(other, 0.5, "assign"))
    with pytest.raises(detent.DetentError, match="transition 'strays': its reset sets x', which"):
        detent.simulate(automaton, until=2)
