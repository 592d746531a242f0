"""The reference page says what the docstrings say, about every public name."""

from __future__ import annotations

import pytest

import detent
from tools.reference import GROUPS, HANDED_OUT, PAGE, check_groups, markdown, reference_page, signature_text


def test_the_reference_page_is_what_the_docstrings_say() -> None:
    # One comparison with one answer: a difference of two thousand lines would bury the command.
    same = PAGE.read_text(encoding="utf-8") == reference_page()
    assert same, "docs/reference.md is older than the docstrings; run: make reference"


def test_every_public_name_has_a_heading_and_its_first_sentence() -> None:
    page = reference_page()
    names = [name for name in detent.__all__ if not name.startswith("__")]
    assert [name for name in names if f"\n### `{name}`\n" not in page] == []
    assert set(names) >= HANDED_OUT
    assert "Declare generalized coordinates, by name or with their start values." in page  # a method's


def test_a_public_name_without_a_place_is_named() -> None:
    groups = {title: [name for name in names if name != "load"] for title, names in GROUPS.items()}
    groups["Pictures"] = [*groups["Pictures"], "paint", "simulate"]
    with pytest.raises(SystemExit) as problem:
        check_groups(groups)
    assert str(problem.value).splitlines() == [
        "the reference page cannot be written; mend GROUPS in tools/reference.py:",
        "'load' is public and stands in no group",
        "'paint' stands in a group and is not public",
        "'simulate' stands in two groups",
    ]


def test_examples_and_formulas_of_a_docstring_become_blocks() -> None:
    docstring = "The law is::\n\n    F = m a\n\nwith ``m*a``, 2*3 and :meth:`Run.at`.\n\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4"
    assert markdown(docstring) == (
        "The law is:\n\n```text\nF = m a\n```\n\nwith `m*a`, 2\\*3 and `Run.at`.\n\n"
        "```pycon\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```\n"
    )


def test_a_signature_is_shown_as_it_is_written() -> None:
    def throw(self, stone: str, *more: str, speed: float | None = None, **rest: float) -> list[str]: ...

    assert signature_text("throw", throw, bound=True) == (
        "throw(stone: str, *more: str, speed: float | None = None, **rest: float) -> list[str]"
    )


def test_a_long_signature_has_one_parameter_a_line() -> None:
    def throw(
        stone: str, *, an_adjective_that_makes_the_line_long: str = "heavy", another_one: str = "round"
    ) -> None: ...

    assert signature_text("throw", throw).splitlines() == [
        "throw(",
        "    stone: str,",
        "    *,",
        "    an_adjective_that_makes_the_line_long: str = 'heavy',",
        "    another_one: str = 'round',",
        ")",
    ]
