"""What the documentation shows is what happens.

Every ``python`` block of README.md and docs/ runs, and so does every ``$ detent`` line of a ``console``
block; both in the order of the page and in one empty directory, as a reader would do. The line
``<!-- exact -->`` right above a console block asks for its output to be compared as well; above a ``text``
block it asks for that text to be what the ``python`` block before it has printed. What is not to be run
belongs in a ``text`` block. Examples in docstrings are run by pytest itself
(``--doctest-modules`` in pyproject.toml).
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import detent

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md"))]

BLOCK = re.compile(
    r"^(?P<indent>[ ]*)```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)

# The installed script by another name, so that the test does not depend on where scripts are put.
COMMAND = "import sys; sys.argv[0] = 'detent'; from detent.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line its text starts on, and whether output is compared."""

    language: str
    text: str
    line: int
    exact: bool


def blocks(page: str) -> Iterator[Block]:
    for found in BLOCK.finditer(page):
        before = page[: found.start()].rstrip(" ")
        yield Block(
            language=found["language"],
            text=textwrap.dedent(found["body"]),
            line=page.count("\n", 0, found.start("body")) + 1,
            exact=before.endswith("<!-- exact -->\n"),
        )


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command line of a console block with the output shown under it."""
    joined = block.text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def without_trailing_space(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def run_python(block: Block, page: str, namespace: dict[str, Any]) -> str:
    """Run a block and return what it prints."""
    # Empty lines in front make a traceback show the line of the page.
    code = compile("\n" * (block.line - 1) + block.text, page, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def run_console(block: Block, page: str) -> None:
    for command, shown in commands(block):
        if not command.startswith("detent "):
            continue
        where = f"{page}, block at line {block.line}: {command}"
        arguments = shlex.split(command, comments=True)[1:]
        done = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{where}\nexit code {done.returncode}, expected 0\n{done.stdout}{done.stderr}"
        if block.exact:
            assert without_trailing_space(done.stdout) == without_trailing_space(shown), where


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(text):
        if block.language == "python":
            printed = run_python(block, page, namespace)
        elif block.language == "text" and block.exact:
            assert without_trailing_space(printed) == without_trailing_space(block.text), f"{page}, line {block.line}"
        elif block.language == "console":
            run_console(block, page)


def test_every_public_name_shows_an_example() -> None:
    names = [name for name in detent.__all__ if not name.startswith("__")]
    without = [name for name in names if ">>>" not in (getattr(detent, name).__doc__ or "")]
    assert without == []
