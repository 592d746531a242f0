"""Kernels made by other processes: the same as made here, one of each, and none left behind."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from detent.jit import kernel_crew, object_cache
from detent.jit.kernel_job import Job
from detent.jit.kernel_library import KernelLibrary, make_ready
from detent.jit.making_lock import MakingLock, fcntl
from tests.unit.jit.small_kernels import found, library, start, write


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of one small kernel."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    write(folder, "return 2 * x")
    return folder


@pytest.fixture
def not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be compiled in this process."""
    monkeypatch.setattr(kernel_crew, "translated_here", lambda job: pytest.fail(f"{job.name} was translated here"))


@pytest.mark.usefixtures("not_here")
def test_other_processes_make_what_is_missing(
    source: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With whatever Numba is installed here, whatever it is told by the environment, and leaving nothing behind."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(kernel_crew.tempfile, "tempdir", str(tmp_path))
    write(source, "return 3 * x", "another_kernel_of_a_test")
    first, second = library(), library("another_kernel_of_a_test")
    make_ready([first, second])
    assert (found(first), found(second)) == (42, 63)
    assert {file.stem for file in cache.iterdir()} == {first.key(), second.key()}
    assert not list(tmp_path.glob("detent-*"))


def test_where_no_process_can_be_started_kernels_are_made_here(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **options: object) -> None:
        raise PermissionError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refused)
    assert found(library()) == 42


@pytest.mark.parametrize("executable", ["", "/usr/bin/blender"])
def test_a_program_with_python_in_it_is_not_started_again(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_crew.sys, "executable", executable)
    assert not kernel_crew._can_start_python()


def test_what_a_process_fails_to_make_is_made_here(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_crew, "START", "raise SystemExit('out of memory')")
    assert found(library()) == 42


def test_no_process_outlives_an_interrupt(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def remembered(*arguments: object, **options: object) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", remembered)
    monkeypatch.setattr(kernel_crew.time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found(library())
    assert [process.poll() is not None for process in started] == [True]


SCRIPT = """
from detent.jit.kernel_library import WORD_TYPE, KernelLibrary
print("read once")
library = KernelLibrary("test", {"scaled": "kernel_of_a_test"})
print(library.function("scaled", WORD_TYPE)(21))
"""


def test_a_script_needs_no_guard_against_being_imported_again(source: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    output, errors = start(str(script)).communicate(timeout=300)
    assert output.splitlines() == ["read once", "42"], errors


needs_locks = pytest.mark.skipif(fcntl is None, reason="this system has no such locks")


@needs_locks
def test_a_library_that_another_process_makes_is_waited_for(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, other = library().job(), MakingLock(library().key())
    monkeypatch.setattr(kernel_crew._Worker, "give", lambda *_: pytest.fail("it was made twice"))
    assert other.take()

    def meanwhile(seconds: float) -> None:
        object_cache.write(wanted.key, b"made by another", kind="kernels")
        other.release()

    monkeypatch.setattr(kernel_crew.time, "sleep", meanwhile)
    assert kernel_crew.make_libraries([wanted]) == {wanted.key: b"made by another"}
    assert [file.stem for file in cache.iterdir()] == [wanted.key]


@needs_locks
def test_the_wait_for_another_process_has_an_end(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = MakingLock(library().key())
    assert other.take()
    monkeypatch.setattr(kernel_crew, "PATIENCE", 0.0)
    assert found(library()) == 42
    other.release()


@needs_locks
def test_a_lock_that_nobody_holds_any_more_is_no_obstacle(source: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / f".making-{library().key()}").touch()
    assert found(library()) == 42
    assert [file.stem for file in cache.iterdir()] == [library().key()]


def test_the_longest_is_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [Job(str(weight), {}, f"key {weight}", "", weight) for weight in (1, 3, 2)]
    begun: list[str] = []
    monkeypatch.setattr(kernel_crew, "_can_start_python", lambda: False)
    monkeypatch.setattr(kernel_crew, "translated_here", lambda job: begun.append(job.name) or b"")
    kernel_crew.make_libraries(jobs, "translation")
    assert begun == ["3", "2", "1"]


def test_a_library_is_made_once_however_often_it_is_asked_for(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one: KernelLibrary = library()
    make_ready([one, one])
    monkeypatch.setattr(kernel_crew, "make_libraries", lambda jobs: pytest.fail("made again"))
    make_ready([one])
    assert found(one) == 42
