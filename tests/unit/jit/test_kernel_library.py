"""Kernels on disk: compiled once, found again by their text, rebuilt when damaged, never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from detent.jit import kernel_crew, kernel_library, kernel_sources
from detent.jit.kernel_library import KernelLibrary
from detent.kernels import LIBRARIES
from tests.unit.jit.small_kernels import found, library, start, write


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of one small kernel, which is compiled in this process: that is quicker for so little."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(kernel_crew, "_can_start_python", lambda: False)
    write(folder, "return 2 * x")
    return folder


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


IN_A_PROCESS = """
import sys
from detent.jit.kernel_library import WORD_TYPE, KernelLibrary
library = KernelLibrary("test", {"scaled": "kernel_of_a_test"})
print("ready", flush=True)
sys.stdin.readline()
print(library.function("scaled", WORD_TYPE)(21), library.from_cache)
"""


def test_two_processes_that_compile_at_once_both_work(source: Path, cache: Path) -> None:
    both = [start("-c", IN_A_PROCESS) for _ in range(2)]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert {process.communicate(timeout=300)[0].split()[0] for process in both} == {"42"}
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
    output, errors = process.communicate("go\n", timeout=300)
    assert output == "ready\n"
    assert "Traceback" not in errors
    assert process.returncode not in (0, 1)


READ = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*(name for name, module in sys.modules.items() if name.startswith("detent.") and not hasattr(module, "__path__")))
"""


@pytest.mark.parametrize("which", LIBRARIES, ids=lambda library: library.name)
def test_every_module_that_a_kernel_reads_is_part_of_its_key(which: KernelLibrary) -> None:
    """Otherwise a constant could change there and the old machine code would be used."""
    imported = {*which.kernels.values(), *kernel_sources.MAKERS}
    output, errors = start("-c", READ, *imported).communicate(timeout=300)
    assert errors == ""
    assert sorted(output.split()) == sorted(which.sources)


@pytest.mark.parametrize("which", LIBRARIES, ids=lambda library: library.name)
def test_a_change_of_any_source_changes_the_key(which: KernelLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    text_of, before = kernel_sources._text_of, which.job()
    for changed in which.sources:
        kernel_sources._makers.cache_clear()
        monkeypatch.setattr(
            kernel_sources, "_text_of", lambda name, changed=changed: text_of(name) + "#" * (name == changed)
        )
        after = which.job()
        assert (after.key != before.key, after.translation != before.translation) == (True, True), changed
    kernel_sources._makers.cache_clear()


def test_all_kernels_belong_to_a_library_that_the_wheel_carries() -> None:
    """A library that is not in the list would be compiled by every user."""
    listed = {module for library in LIBRARIES for module in library.sources if module.endswith("_kernel")}
    folder = Path(kernel_library.__file__).parents[1]
    files = [file.relative_to(folder).with_suffix("") for file in folder.rglob("*_kernel.py")]
    written = {".".join(["detent", *file.parts]) for file in files}
    assert written == listed


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from detent.jit.abi import OK\n", ["detent.jit.abi"]),
        (
            "from detent.expr import operation as op, instruction\n",
            ["detent.expr.operation", "detent.expr.instruction"],
        ),
        ("from detent.jit import (\n    abi,  # why\n    linker,\n)\n", ["detent.jit.abi", "detent.jit.linker"]),
        ("import detent.jit.abi\n", ["detent.jit.abi"]),
        ("import numpy\nfrom numba import njit\n    from detent.jit import abi\n", []),
    ],
)
def test_imports_are_followed_however_they_are_written(text: str, modules: list[str]) -> None:
    assert kernel_sources._imported_by(text) == modules
