"""The reference page, docs/reference.md, from the docstrings of the public names.

``python -m tools.reference`` (or ``make reference``) writes it. The page holds nothing that is not in the code, so
whoever changes a docstring or a signature writes the page again; a test compares the two.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import detent

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"

# In the order in which a reader meets them.
GROUPS = {
    "Writing a model": ["System", "Frame", "Point", "Vector", "Body", "Joint"],
    "Constraints": [
        "holonomic", "motion", "joined", "aligned", "rolling", "turning_together", "prescribed", "Constraint",
        "Sliding",
    ],
    "Contact": [
        "Shape", "Turn", "Contact", "ContactStatus", "Coulomb", "Poisson", "Stronge", "Newton", "Smith", "Plastic",
        "ImpactLaw",
    ],
    "Inputs and tables": ["Held", "Sampled", "tabulated"],
    "Modes and transitions": ["Automaton", "Impact", "FrictionImpact", "swapped", "Moment", "Mode", "Transition"],
    "Running": [
        "simulate", "Options", "Simulation", "resume", "Embedded", "Multipliers", "Projection", "Corrected", "Penalty",
        "SlidingManifold", "Complementarity", "Impulse", "Dae",
    ],
    "Running live": [
        "Live", "couple", "Coupler", "Hand", "SimulatedHand", "least_damping", "LiveTiming", "Recording",
        "SimulatedClock",
    ],
    "What comes back": ["Run", "ContactCourse", "evaluate", "load"],
    "Comparing formulations": ["compare", "Comparison"],
    "Equations to read": ["equations", "Equations", "EmbeddedEquations"],
    "Pictures": ["plot", "stroboscope", "animate", "draw_automaton"],
    "The gallery": ["examples", "example", "Example"],
    "Errors and warnings": [
        "DetentError", "ModelError", "ExpressionError", "UnknownNameError", "ValueProblem", "SimulationError",
        "OutsideRunError", "ResultFileError", "MissingExtraError", "DetentWarning",
    ],
}  # fmt: skip

# Classes whose objects detent makes: their fields are shown, not how to make one.
HANDED_OUT = {
    "Frame", "Point", "Vector", "Body", "Joint", "Constraint", "Shape", "Contact", "ImpactLaw", "Moment", "Mode",
    "Transition", "Run", "ContactCourse", "Comparison", "Equations", "EmbeddedEquations", "Example", "Coupler",
    "LiveTiming", "Recording", *GROUPS["Errors and warnings"],
}  # fmt: skip

# What classes that users have give to the rest of detent alone, which may change at any time.
INWARD = {
    "called", "shape_seat", "path", "matrix_to", "carrier", "sizes", "complaints", "outline", "solid", "structure",
    "functions", "moves_along_itself", "where", "resistances", "coefficients", "restitution", "constraint", "member",
    "first", "event_name", "declared_name", "words_of", "follow", "catch_up", "leaving",
    "constraints", "lines", "made", "calls_python", "with_times_up_to", "of_run", "misses", "longest_step",
}  # fmt: skip

INTRODUCTION = """\
# Reference

<!-- Written by `make reference` from the docstrings: change those, not this page. -->

Every public name of `detent`, with its signature and an example. What is not on this page is private
([what is public and what may change](stability.md)). The examples run as tests. `detent.__version__` is the version,
as text.
"""

WIDTH = 100


def reference_page() -> str:
    """The whole page as Markdown.

    >>> reference_page().splitlines()[0]
    '# Reference'
    """
    check_groups(GROUPS)
    contents = [f"- [{title}](#{_anchor(title)}): {_listed(names)}" for title, names in GROUPS.items()]
    parts = [INTRODUCTION, "\n".join(contents) + "\n"]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [part for name in names for part in _entry(name)]
    return "\n".join(parts)


def check_groups(groups: dict[str, list[str]]) -> None:
    """Refuse groups that leave a public name out, or hold one that is not public."""
    placed = [name for names in groups.values() for name in names]
    public = [name for name in detent.__all__ if not name.startswith("__")]
    faults = [f"'{name}' is public and stands in no group" for name in public if name not in placed]
    faults += [f"'{name}' stands in a group and is not public" for name in placed if name not in public]
    given = {member for name in public for member in dir(getattr(detent, name))}
    faults += [f"'{name}' is called inward, and no public class has it" for name in sorted(INWARD - given)]
    faults += [f"'{name}' stands in two groups" for name in sorted(set(placed)) if placed.count(name) > 1]
    if faults:
        raise SystemExit(
            "\n".join(["the reference page cannot be written; mend GROUPS in tools/reference.py:", *faults])
        )


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# -- one name ---------------------------------------------------------------------------------


def _entry(name: str) -> Iterator[str]:
    """What the page says about a public name, members included."""
    public = getattr(detent, name)
    yield f"### `{name}`\n"
    if isinstance(public, enum.EnumType):
        yield _fenced("text", "\n".join(f"detent.{name}.{word.name}" for word in public))
    elif name not in HANDED_OUT:
        yield _fenced("text", f"detent.{signature_text(name, public)}")
    yield markdown(inspect.getdoc(public) or "")
    if inspect.isclass(public):
        if name in HANDED_OUT and (fields := _fields(public)):
            yield "Fields:\n"
            yield _fenced("text", fields)
        for member in _members(public):
            yield from _member(name, member, inspect.getattr_static(public, member))


def _fields(public: type) -> str:
    if not dataclasses.is_dataclass(public):
        return ""
    shown = [field for field in dataclasses.fields(public) if not field.name.startswith("_")]
    return "\n".join(f"{field.name}: {_annotation(field.type)}" for field in shown)


def _members(public: type) -> list[str]:
    """The documented methods and properties that detent itself gives to a class, bases first."""
    own = [base for base in reversed(public.__mro__) if base.__module__.startswith("detent")]
    found = {name: member for base in own for name, member in vars(base).items() if not name.startswith("_")}
    shown = {name: member for name, member in found.items() if name not in INWARD}
    return [name for name, member in shown.items() if _function(member) and inspect.getdoc(member)]


def _function(member: Any) -> Callable[..., Any] | None:
    """The Python function behind a method or a property; None for anything else."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    return member if inspect.isfunction(member) else None


def _member(owner: str, name: str, member: Any) -> Iterator[str]:
    function = _function(member)
    assert function is not None
    yield f"#### `{owner}.{name}`\n"
    if isinstance(member, property | functools.cached_property):
        answer = inspect.signature(function).return_annotation
        yield _fenced("text", f"{name}: {_annotation(answer)}")
    else:
        yield _fenced("text", signature_text(name, function, bound=not isinstance(member, staticmethod)))
    yield markdown(inspect.getdoc(member) or "")


# -- signatures -------------------------------------------------------------------------------


def signature_text(name: str, function: Callable[..., Any], bound: bool = False) -> str:
    """A call as its definition has it, one parameter a line where it would be too long.

    >>> def throw(stone: str, *, speed: float = 1.0) -> None: ...
    >>> signature_text("throw", throw)
    'throw(stone: str, *, speed: float = 1.0)'
    """
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    words = list(_parameters(parameters))
    answer = _annotation(signature.return_annotation)
    ending = "" if answer in ("", "None") else f" -> {answer}"
    line = f"{name}({', '.join(words)}){ending}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){ending}"])


def _parameters(parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        starred |= parameter.kind is parameter.VAR_POSITIONAL
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield _parameter(parameter)


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = _annotation(parameter.annotation)
    text = f"{stars}{parameter.name}: {annotation}" if annotation else f"{stars}{parameter.name}"
    if parameter.default is parameter.empty:
        return text
    return f"{text} = {parameter.default!r}" if annotation else f"{text}={parameter.default!r}"


def _annotation(annotation: Any) -> str:
    """An annotation as it is written: they are texts, for they are not evaluated."""
    if annotation is inspect.Signature.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


# -- docstrings -------------------------------------------------------------------------------


def markdown(docstring: str) -> str:
    """A docstring as Markdown: examples and formulas become blocks, roles and double backticks become code.

    >>> print(markdown("See :class:`Run`, ``t``."))
    See `Run`, `t`.
    <BLANKLINE>
    """
    return "\n".join(_block(block) for block in _joined(re.split(r"\n\s*\n", docstring.strip("\n"))))


def _joined(blocks: list[str]) -> list[str]:
    """The same blocks, with examples that follow one another as one."""
    joined: list[str] = []
    for block in blocks:
        if joined and block.startswith(">>>") and joined[-1].startswith(">>>"):
            joined[-1] += "\n\n" + block
        else:
            joined.append(block)
    return joined


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return _fenced("pycon", block)
    if all(line.startswith("    ") for line in block.splitlines()):
        return _fenced("text", inspect.cleandoc(block))
    pieces = re.split(r"(``.+?``|:[a-z]+:`[^`]+`)", re.sub(r"::$", ":", block), flags=re.DOTALL)
    return "".join(_code(piece) if piece.endswith("`") else _prose(piece) for piece in pieces) + "\n"


def _code(piece: str) -> str:
    return "`" + piece[piece.index("`") :].strip("`") + "`"


def _prose(piece: str) -> str:
    return re.sub(r"([*<])", r"\\\1", piece)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(reference_page(), encoding="utf-8")
    print(f"wrote {PAGE}")
