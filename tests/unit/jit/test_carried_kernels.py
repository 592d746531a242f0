"""Translations that a package carries: used where they fit their sources, and never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from detent.jit import carried_kernels, kernel_crew
from detent.jit.kernel_job import Job, translated_here
from tests.unit.jit.small_kernels import found, library, write


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of one small kernel, compiled in this process."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(kernel_crew, "_can_start_python", lambda: False)
    write(folder, "return 2 * x")
    return folder


@pytest.fixture
def carried(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this kernel's translation, where the package looks for it."""
    folder = tmp_path / "carried"
    folder.mkdir()
    monkeypatch.setattr(carried_kernels, "FOLDER", str(folder))
    job = library().job()
    carried_kernels.write(folder, job.translation, translated_here(job))
    return folder / job.translation


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The libraries that were translated anew."""
    names: list[str] = []

    def remembered(job: Job) -> bytes:
        names.append(job.name)
        return translated_here(job)

    monkeypatch.setattr(kernel_crew, "translated_here", remembered)
    return names


@pytest.mark.usefixtures("carried")
def test_a_carried_translation_is_used(translated: list[str]) -> None:
    assert (found(library()), translated) == (42, [])


@pytest.mark.usefixtures("carried")
def test_an_edited_source_never_meets_the_translation_of_another(source: Path, translated: list[str]) -> None:
    write(source, "return 3 * x")
    assert (found(library()), translated) == (63, [library().name])


@pytest.mark.parametrize("damage", ["truncated", "empty", "one bit"])
def test_a_damaged_translation_is_made_again(carried: Path, translated: list[str], damage: str) -> None:
    sound = carried.read_bytes()
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    carried.write_bytes({"truncated": sound[: len(sound) // 2], "empty": b"", "one bit": bytes(flipped)}[damage])
    assert (found(library()), translated) == (42, [library().name])


def test_a_translation_that_llvm_cannot_read_is_made_again(carried: Path, translated: list[str]) -> None:
    carried_kernels.write(carried.parent, carried.name, b"BC\xc0\xde of a later version")
    assert (found(library()), translated) == (42, [library().name])


@pytest.mark.usefixtures("carried")
def test_the_translation_for_another_kind_of_machine_is_not_used(
    translated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carried_kernels, "kind_of_machine", lambda: "another-kind")
    assert (found(library()), translated) == (42, [library().name])


@pytest.mark.parametrize(
    ("triple", "kind"),
    [
        ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"),
        ("arm64-apple-darwin24.6.0", "arm64-apple-darwin"),
        ("x86_64-pc-windows-msvc", "x86_64-pc-windows-msvc"),
    ],
)
def test_a_kind_of_machine_has_no_version(triple: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried_kernels.llvm, "get_default_triple", lambda: triple)
    assert carried_kernels.kind_of_machine() == kind
