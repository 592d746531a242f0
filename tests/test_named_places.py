"""The plan of the house and the recipes name files, classes and functions that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("docs/architecture.md", "docs/extending.md")
TO_BE_WRITTEN = {"formulation/NAME.py"}


def known_paths() -> set[str]:
    """Every file by its path from the root, from the package, and by what stands after any of its folders."""
    found = [path.relative_to(ROOT).as_posix() for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")]
    return {path.split("/", start)[-1] for path in found for start in range(path.count("/") + 1)}


def code_of(page: str) -> list[str]:
    """What a page says in the type of code, blocks that run left out: those are run."""
    text = re.sub(r"```(?:python|console).*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.S)
    return [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"```text\n(.*?)```", text, flags=re.S)]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    known = known_paths()
    named = {path for code in code_of(page) for path in re.findall(r"[\w/]+\.py\b", code)}
    assert len(named) > 20
    assert sorted(named - known - TO_BE_WRITTEN) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_name_that_a_page_gives_stands_in_the_sources(page: str) -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    words = set(re.findall(r"\w+", sources))
    camel, snake = r"\b[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+\b", r"\b[a-z]+(?:_[a-z0-9]+)+\b"
    shown = [re.sub(r"[\w/]+\.py\b", "", code) for code in code_of(page)]
    named = {name for code in shown for name in re.findall(f"{camel}|{snake}", code)}
    assert len(named) > 20
    assert sorted(named - words) == []
