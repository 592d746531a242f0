"""What the project says of itself in several files is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import detent

ROOT = Path(__file__).parents[1]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def cited(key: str) -> list[str]:
    """The values of a key of CITATION.cff, without quotes."""
    return [value.strip('"') for value in re.findall(rf"^[ -]*{key}: (.+)$", CITATION, re.MULTILINE)]


def test_the_version_is_the_same_everywhere() -> None:
    assert project()["version"] == detent.__version__
    assert cited("version") == [detent.__version__]


def test_the_citation_names_the_authors_licence_and_purpose_of_the_package() -> None:
    assert cited("name") == [author["name"] for author in project()["authors"]]
    assert cited("license") == [project()["license"]]
    assert cited("abstract") == [project()["description"]]


def test_the_lowest_python_that_is_allowed_is_the_lowest_that_is_claimed() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(project()["classifiers"]), re.MULTILINE)
    assert project()["requires-python"] == f">={min(claimed, key=lambda version: int(version[2:]))}"


def test_every_python_that_is_claimed_is_among_those_that_are_tried() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(project()["classifiers"]), re.MULTILINE)
    tried = re.search(r"^PYTHONS \?= (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert tried is not None
    assert {f"python{version}" for version in claimed} <= set(tried[1].split())
