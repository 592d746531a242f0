"""The rules of docs/event_semantics.md are cited, by number, where the kernels make them true."""

from __future__ import annotations

import re
from pathlib import Path

import detent

SOURCES = Path(detent.__file__).parent
RULES = Path(__file__).parents[3] / "docs" / "event_semantics.md"
CITED = re.compile(r"\brules?\s+(\d+)(?:\s+(to|and)\s+(\d+))?")


def stated() -> set[int]:
    return {int(number) for number in re.findall(r"^\*\*(\d+)\.", RULES.read_text(encoding="utf-8"), re.MULTILINE)}


def cited_in(text: str) -> set[int]:
    found: set[int] = set()
    for first, between, last in CITED.findall(text):
        found |= {int(first)}
        if between:
            found |= set(range(int(first), int(last) + 1)) if between == "to" else {int(last)}
    return found


def cited(pattern: str) -> dict[str, set[int]]:
    texts = {path.name: path.read_text(encoding="utf-8") for path in SOURCES.rglob(pattern)}
    return {name: found for name, text in texts.items() if (found := cited_in(text))}


def test_citations_are_read_alone_in_pairs_and_in_ranges() -> None:
    assert cited_in("(rule 7), rules 9 and 12; the rules are\nrules 3 to 5") == {3, 4, 5, 7, 9, 12}
    assert cited_in("a rule of 3, and the ruler 4") == set()


def test_the_rules_are_numbered_without_gaps() -> None:
    assert stated() == set(range(1, len(stated()) + 1))
    assert len(stated()) >= 15


def test_every_rule_is_cited_by_a_kernel() -> None:
    assert stated() - set().union(*cited("*_kernel.py").values()) == set()


def test_every_rule_that_is_cited_exists() -> None:
    assert {name: found - stated() for name, found in cited("*.py").items() if found - stated()} == {}
