"""Kernels on disk: compiled once, found again by their text, rebuilt when damaged, never in the way."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from detent.integrate.kernels import CONSTRAINT_SOLVE, MASS_SOLVE, STEPPER
from detent.jit import kernel_library
from detent.jit.kernel_library import WORD, WRITTEN_WITH, KernelLibrary
from detent.jit.kernels import KERNELS

SOURCE = """
import numpy as np
from numba import types
from detent.jit.intrinsics import kernel

@kernel(types.int64(types.int64))
def scaled(x):
    {body}
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of one small kernel."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return write(folder / "kernel_of_a_test.py", "return 2 * x")


def write(file: Path, body: str) -> Path:
    file.write_text(SOURCE.format(body=body))
    sys.modules.pop(file.stem, None)
    # Two versions written within a second and of equal length would share what Python keeps of the first.
    for kept in (file.parent / "__pycache__").glob("*.pyc"):
        kept.unlink()
    return file


def library() -> KernelLibrary:
    """A library that has loaded nothing yet, as in another process."""
    return KernelLibrary({"scaled": "kernel_of_a_test"}, reads=WRITTEN_WITH)


def found(scaled: KernelLibrary) -> int:
    return scaled.function("scaled", WORD)(21)


def test_the_second_process_finds_what_the_first_compiled(source: Path, cache: Path) -> None:
    first, second = library(), library()
    assert first.from_cache is None
    assert (found(first), first.from_cache) == (42, False)
    assert (found(second), second.from_cache) == (42, True)
    assert [file.stem for file in cache.iterdir()] == [first.key()]


def test_another_text_is_another_kernel(source: Path) -> None:
    before, key = found(library()), library().key()
    write(source, "return 3 * x")
    assert library().key() != key
    assert (before, found(library())) == (42, 63)


@pytest.mark.parametrize("name", ["machine", "_numba_version"])
def test_another_machine_or_compiler_is_another_key(source: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = library().key()
    owner = kernel_library.linker if name == "machine" else kernel_library
    monkeypatch.setattr(owner, name, lambda: "another")
    assert library().key() != before


@pytest.mark.parametrize("damage", ["truncated", "empty", "one bit"])
def test_a_damaged_file_is_ignored_and_built_again(source: Path, cache: Path, damage: str) -> None:
    found(library())
    (file,) = cache.iterdir()
    sound = file.read_bytes()
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    file.write_bytes({"truncated": sound[: len(sound) // 2], "empty": b"", "one bit": bytes(flipped)}[damage])
    again = library()
    assert (found(again), again.from_cache) == (42, False)
    last = library()
    assert (found(last), last.from_cache) == (42, True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in place of the standard error, to which nothing has been said yet.

    Not a fixture: the test runner puts a stream of its own in place between setting up and calling.
    """
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(kernel_library, "_told", type(kernel_library._told)())
    return screen


def test_a_cold_start_says_once_what_it_does(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    found(library())
    assert screen.getvalue() == "detent: compiling kernels, once: up to a minute\n"
    found(library())
    write(source, "return 3 * x")
    found(library())
    assert len(screen.getvalue().splitlines()) == 1


def test_a_warm_start_says_nothing(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found(library())
    screen = terminal(monkeypatch)
    found(library())
    assert screen.getvalue() == ""


def test_nothing_is_said_where_nobody_waits(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel_library._told.clear()
    found(library())
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("obstacle", ["no folder", "a file"])
def test_without_a_cache_every_process_compiles_and_says_how_to_avoid_it(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    screen = terminal(monkeypatch)
    if obstacle == "a file":
        cache.write_text("not a folder")
    else:
        monkeypatch.setenv("DETENT_CACHE_DIR", os.path.join(os.devnull, "objects"))
    for _ in range(2):
        one = library()
        assert (found(one), one.from_cache) == (42, False)
    (line,) = screen.getvalue().splitlines()
    assert "DETENT_CACHE_DIR" in line


IN_A_PROCESS = """
import sys
from detent.jit.kernel_library import WORD, WRITTEN_WITH, KernelLibrary
library = KernelLibrary({"scaled": "kernel_of_a_test"}, reads=WRITTEN_WITH)
print("ready", flush=True)
sys.stdin.readline()
print(library.function("scaled", WORD)(21), library.from_cache)
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_two_processes_that_compile_at_once_both_work(source: Path, cache: Path) -> None:
    both = [start("-c", IN_A_PROCESS) for _ in range(2)]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert {process.communicate(timeout=120)[0].split()[0] for process in both} == {"42"}
    assert len(list(cache.iterdir())) == 1
    third = library()
    assert (found(third), third.from_cache) == (42, True)


def test_a_kernel_that_allocates_is_refused(source: Path) -> None:
    write(source, "return np.zeros(x).size")
    with pytest.raises(RuntimeError, match=r"NRT_.* only the C library of mathematics was expected"):
        found(library())


def test_a_kernel_that_raises_ends_the_process_and_does_not_go_on(source: Path) -> None:
    write(source, 'raise ValueError("never")')
    process = start("-c", IN_A_PROCESS)
    output, errors = process.communicate("go\n", timeout=120)
    assert output == "ready\n"
    assert "Traceback" not in errors
    assert process.returncode not in (0, 1)


READ = """
import importlib, sys
for name in ["detent.jit.kernel_compiler", *sys.argv[1:]]:
    importlib.import_module(name)
print(*(name for name, module in sys.modules.items() if name.startswith("detent.") and not hasattr(module, "__path__")))
"""


@pytest.mark.parametrize("which", [KERNELS, STEPPER, MASS_SOLVE, CONSTRAINT_SOLVE])
def test_every_module_that_a_kernel_reads_is_part_of_its_key(which: KernelLibrary) -> None:
    """Otherwise a constant could change there and the old machine code would be used."""
    kernels = [name for name in which.sources if name.endswith("_kernel")]
    output, errors = start("-c", READ, *kernels).communicate(timeout=120)
    assert errors == ""
    assert sorted(output.split()) == sorted(which.sources)
