"""Equations that are printed are those that run: read back from text and from LaTeX, they give the same accelerations.

The numbers are those of the program that a run compiles. What is printed adds up the same terms in another order and
partly multiplied out, some hundred products of order 1 to 1000; 1e-10 of the largest value leaves room for that.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.dynamics.embedded_equations import EmbeddedEquations
from detent.dynamics.equations import FORCES_UP_TO, Equations
from detent.dynamics.minimal_form import MinimalForm
from detent.dynamics.rows import read_constraint
from detent.formulation.compiled import compile_system
from tests.physics.printed_latex import LatexReader

TOLERANCE = 1e-10
LEFT = re.compile(r"[A-Za-z_]\w*'*|[MfF][~*]?\[.*\]")
"""Left sides of equations; headings have others."""
LEFT_OF_PART = re.compile(r"z\d+$")
FUNCTIONS = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "atan", "atan2", "tanh")},
    "abs": abs, "min": min, "max": max, "pi": math.pi, "sign": lambda x: float(x > 0) - float(x < 0),
}  # fmt: skip


NOT_LINEAR = "speed-held-particle"
"""Its row is not linear in the speeds: it is shown with a multiplier, and has no minimal equations."""


DRAWN = "drawn-fence"
"""Its curve has no numbers before it is drawn, and none are printed."""


def modes() -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for name in detent.examples():
        if name in (NOT_LINEAR, DRAWN):
            continue
        automaton = detent.example(name).automaton
        found += [(name, None)] if automaton is None else [(name, mode) for mode in automaton.modes]
    return found


MODES = modes()


def reference(equations: Equations | EmbeddedEquations, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """A random state by name, and what the program of a run makes of it, by the left sides of the sheet.

    Without constraints that is q', s', M and f; with them, q' and s' and the solved u' of the independent speeds.
    """
    system = equations.system
    compiled = compile_system(system)
    motion, layout = compiled.equations, compiled.layout
    at, state, values = random_state(equations, seed)
    names, quantities = equations._sheet.names, motion.quantities
    rates = [f"{symbol.name}'" for symbol in [*quantities.coordinates, *quantities.signals]]
    nodes, bound = [*quantities.q_rates, *quantities.s_rates], quantities.bound
    speeds = [names.text(name) for name in layout.speeds]
    if isinstance(equations, EmbeddedEquations):
        rows = [row for c in equations.constraints for row in read_constraint(motion, c)]
        form = MinimalForm(motion, tuple(rows), equations._partition(rows))
        bound = form.bound
        rates += [f"{name}'" for name in layout.speeds]
        nodes += form.accelerations
    else:
        pairs = [(i, j) for i in range(len(speeds)) for j in range(i, len(speeds))]
        rates += [f"M[{speeds[i]}, {speeds[j]}]" for i, j in pairs] + [f"f[{speed}]" for speed in speeds]
        nodes += [*(motion.mass_matrix[i][j] for i, j in pairs), *motion.forcing]
    out = compiled.program(nodes, bound)(at["t"], state, values)
    return at, dict(zip(rates, map(float, out), strict=True))


def random_state(equations: Any, seed: int) -> tuple[dict[str, float], np.ndarray, np.ndarray]:
    """Values by name, with quaternions of length one; and the state and the values as a program takes them."""
    system = equations.system
    compiled, random = compile_system(system), np.random.default_rng(seed)
    at = {name: float(random.uniform(0.3, 1.2)) for name in ["t", *compiled.layout.names, *compiled.value_names]}
    at |= {symbol.name: float(value) for symbol, value in system.parameter_values.items()}
    at |= {f"{name} acts": float(name in equations.acting) for name in system.switched_loads}
    for parts in system.quaternions:
        length = math.hypot(*(at[part.name] for part in parts))
        at |= {part.name: at[part.name] / length for part in parts}
    values = np.array([at[name] for name in compiled.value_names])
    return at, np.array([at[name] for name in compiled.layout.names]), values


def lines_of(text: str) -> dict[str, str]:
    """What is written, by left side; a part is defined once, before it is used."""
    found: dict[str, str] = {}
    told = text.split("rows\n", 1)[1].split("\n\n", 1)[0] if "rows\n" in text else ""
    for line in text.splitlines():
        left, equals, right = line.strip().partition(" = ")
        if equals and LEFT.fullmatch(left) and line not in told.splitlines():
            assert left not in found, f"{left} is written twice"
            for part in re.findall(r"\bz\d+\b", right):
                assert part in found, f"{part} is used before it is defined"
            found[left] = right
    return found


def evaluated(lines: dict[str, str], at: dict[str, float]) -> dict[str, float]:
    """The values of lines of text, one after the other, each read by Python."""
    known: dict[str, float] = dict(at)
    for left, right in lines.items():

        def place(token: re.Match[str]) -> str:
            return f"({float(known[token[0]])!r})" if token[0] in known else token[0]

        code = re.sub(r"[A-Za-z_]\w*'*|\[[^\]]*\]", place, right)
        known[left] = float(eval(code, {"__builtins__": {}}, FUNCTIONS))
    return {left: known[left] for left in lines}


def accelerations(found: dict[str, float], speeds: list[str], texts: dict[str, str]) -> dict[str, float]:
    """u' of the independent speeds from the reduced M and f; of a symmetric M the half that is written."""

    def entry(a: str, b: str) -> float:
        own, mirrored = f"M~[{texts[a]}, {texts[b]}]", f"M~[{texts[b]}, {texts[a]}]"
        return found.get(own, found.get(mirrored, 0.0) if symmetric else 0.0)

    size = range(len(speeds))
    symmetric = not any(f"M~[{texts[speeds[i]]}, {texts[speeds[j]]}]" in found for i in size for j in range(i))
    M = np.array([[entry(a, b) for b in speeds] for a in speeds])
    f = np.array([found[f"f~[{texts[a]}]"] for a in speeds])
    return {f"{name}'": float(value) for name, value in zip(speeds, np.linalg.solve(M, f), strict=True)}


def agrees(found: dict[str, float], expected: dict[str, float]) -> None:
    scale = max([1.0, *map(abs, expected.values())])
    for left, value in found.items():
        assert abs(value - expected[left]) <= TOLERANCE * scale, left


@pytest.mark.parametrize(("name", "mode"), MODES)
def test_text_read_back_moves_as_the_program_does(name: str, mode: str | None) -> None:
    equations = detent.equations(detent.example(name), mode)
    at, expected = reference(equations, seed=20261)
    names = equations._sheet.names
    if isinstance(equations, EmbeddedEquations):
        for dependent in equations.dependent:
            del at[dependent]  # they follow from the others
    else:
        at |= {f"{speed.name}'": 0.3 + 0.1 * number for number, speed in enumerate(equations.speeds)}
    lines = lines_of(equations.text())
    found = evaluated(lines, {names.text(leaf): value for leaf, value in at.items()})
    assert set(re.findall(r"\bz\d+\b", " ".join(lines.values()))) == {
        left for left in lines if LEFT_OF_PART.match(left)
    }
    if isinstance(equations, EmbeddedEquations) and equations.independent:
        texts = {speed: names.text(speed) for speed in equations.independent}
        found |= accelerations(found, list(equations.independent), texts)
    agrees({left: value for left, value in found.items() if left in expected}, expected)
    assert any(left in expected for left in found) or not getattr(equations, "independent", True)


@pytest.mark.parametrize("name", [name for name, mode in MODES if mode is None])
def test_active_and_inertia_forces_are_what_m_and_f_say(name: str) -> None:
    equations = detent.equations(detent.example(name), "free" if detent.example(name).system.constraints else None)
    at, expected = reference(equations, seed=20263)
    speeds, names = [speed.name for speed in equations.speeds], equations._sheet.names
    at |= {f"{speed}'": 0.3 + 0.1 * number for number, speed in enumerate(speeds)}
    found = equations._sheet.values(at)
    if not any(left.startswith("F*") for left in found):
        assert equations._sheet.listing.operations > FORCES_UP_TO
        return
    scale = max([1.0, *map(abs, expected.values())])
    for a in speeds:
        entries = [(names.text(a), names.text(b), at[f"{b}'"]) for b in speeds]
        moved = sum(expected.get(f"M[{x}, {y}]", expected.get(f"M[{y}, {x}]", 0.0)) * rate for x, y, rate in entries)
        text = names.text(a)
        assert abs(found[f"F[{text}]"] + found[f"F*[{text}]"] - expected[f"f[{text}]"] + moved) <= TOLERANCE * scale


@pytest.mark.parametrize(("name", "mode"), MODES)
def test_latex_read_back_is_what_the_sheet_says(name: str, mode: str | None) -> None:
    sheet = detent.equations(detent.example(name), mode)._sheet
    reader = LatexReader(sheet)
    random = np.random.default_rng(20262)
    for leaf in reader.leaves:
        reader.known[leaf] = float(random.uniform(0.3, 1.2))
    expected = sheet.values({leaf: reader.known[leaf] for leaf in reader.leaves})
    read = reader.lines()
    assert read, "no line was read"
    scale = max([1.0, *map(abs, expected.values())])
    for line, value in read.items():
        assert abs(value - expected[line]) <= TOLERANCE * scale, line


@pytest.mark.parametrize("name", ["swing-bar", "andrews-squeezer", "kneed-walker", "rolling-disk"])
def test_nothing_is_simplified_by_sympy_and_nothing_is_cut(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    example = detent.example(name)
    equations = detent.equations(example)

    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("SymPy was asked to rewrite an expression")

    for function in ("simplify", "expand", "factor_terms", "cancel", "collect", "trigsimp", "cse", "count_ops"):
        monkeypatch.setattr(sympy, function, forbidden)
    text, latex = equations.text(), equations.latex()
    assert "..." not in text
    assert "dots" not in latex
    assert equations._sheet.listing.operations < 1000
    assert len(equations._sheet.listing.lines) < 100


@pytest.mark.parametrize("name", ["pendulum", "disk-on-ramp", "kneed-walker", "cam-follower", "ladder"])
def test_words_are_upright(name: str) -> None:
    latex = detent.equations(detent.example(name)).latex()
    bare = re.sub(r"\\mathrm\{[^{}]*\}|\\begin\{\w+\}|\\end\{\w+\}|\\[A-Za-z]+", " ", latex)
    assert re.findall(r"[A-Za-z]{2,}", bare) == []


def test_a_row_that_is_not_linear_in_the_speeds_is_shown_with_its_multiplier() -> None:
    """Solved for u', what is printed is the acceleration of a run: what gravity does across the velocity."""
    equations = detent.equations(detent.example(NOT_LINEAR))
    x, y = 1.2, -1.6
    told = equations._sheet.values({"x_rate": x, "y_rate": y, "x": 0.3, "y": 0.1, "t": 0.0})
    B = np.array([told["B[speed, x']"], told["B[speed, y']"]])
    M = np.diag([told["M[x', x']"], told["M[y', y']"]])
    f = np.array([told["f[x']"], told["f[y']"]])
    whole = np.block([[M, -B[:, None]], [B[None, :], np.zeros((1, 1))]])
    solved = np.linalg.solve(whole, [*f, told["gamma[speed]"]])
    across = np.array([-y, x]) / 2.0
    assert solved[:2] == pytest.approx(across * (across @ (0.0, -9.81)), rel=1e-14)
    assert r"\gamma_{1}" in equations.latex()
