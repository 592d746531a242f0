"""The cache on disk: used when sound, ignored when damaged, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.tape import STATE, Tape, build_tape
from detent.jit import object_cache
from detent.jit.kernels import KERNELS
from detent.jit.native import NativeCode
from detent.jit.program import Program


def tape(factor: float = 2.5) -> Tape:
    graph = Graph()
    x = graph.leaf("x")
    return build_tape([graph.function(op.SIN, x) * factor + x], {"x": (STATE, 0)})


def native(factor: float = 2.5) -> NativeCode:
    return NativeCode(tape(factor), KERNELS.address("table_function"))


def works() -> bool:
    program = Program(tape())
    before = program(0.0, np.array([0.7]), np.zeros(0))
    program.compile()
    return bool(program.is_native and program(0.0, np.array([0.7]), np.zeros(0)) == before)


def only_file(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def test_the_second_time_comes_from_the_cache(cache: Path) -> None:
    assert not native().from_cache
    assert native().from_cache
    assert not native(2.6).from_cache
    assert len(list(cache.glob("*.object"))) == 2
    assert works()


def test_a_key_is_made_of_the_machine_and_the_content() -> None:
    assert object_cache.key_of("a", "bc") != object_cache.key_of("ab", "c")
    assert object_cache.key_of("a", "b") == object_cache.key_of("a", "b")


@pytest.mark.parametrize("damage", ["truncated", "empty", "one bit", "foreign", "only the head", "longer"])
def test_a_damaged_file_is_ignored_and_built_again(cache: Path, damage: str) -> None:
    native()
    file = only_file(cache)
    sound = file.read_bytes()
    flipped = bytearray(sound)
    flipped[-100] ^= 1
    file.write_bytes(
        {
            "truncated": sound[: len(sound) // 2],
            "empty": b"",
            "one bit": bytes(flipped),
            "foreign": b"\x7fELF" + os.urandom(500),
            "only the head": object_cache.MAGIC,
            "longer": sound + b"\0",
        }[damage]
    )
    assert not native().from_cache
    assert file.read_bytes() == sound
    assert native().from_cache
    assert works()


def test_a_folder_in_place_of_the_file_is_no_obstacle(cache: Path) -> None:
    native()
    file = only_file(cache)
    file.unlink()
    file.mkdir()
    assert not native().from_cache
    assert works()
    assert list(cache.iterdir()) == [file]


def test_a_file_in_place_of_the_folder_is_no_obstacle(cache: Path) -> None:
    cache.write_text("not a folder")
    assert not object_cache.write("key", b"content")
    assert object_cache.read("key") is None
    assert not native().from_cache
    assert works()
    assert cache.read_text() == "not a folder"


def test_a_folder_that_cannot_be_made_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETENT_CACHE_DIR", os.path.join(os.devnull, "objects"))
    assert works()


def test_a_full_disk_leaves_nothing_half_written(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(source: str, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_room)
    assert not object_cache.write("key", b"content")
    assert list(cache.iterdir()) == []


def test_the_folder_is_the_one_that_is_asked_for(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert object_cache.folder() == cache
    monkeypatch.delenv("DETENT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert object_cache.folder() == tmp_path / "xdg" / "detent"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert object_cache.folder() == tmp_path / ".cache" / "detent"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert object_cache.folder() == tmp_path / "Library" / "Caches" / "detent"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert object_cache.folder() == tmp_path / "local" / "detent" / "cache"


def test_past_its_bound_the_older_half_goes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_cache, "MOST_FILES", 10)
    for number in range(10):
        assert object_cache.write(f"key{number}", b"content")
        os.utime(cache / f"key{number}.object", (number, number))
    assert len(list(cache.iterdir())) == 10
    assert object_cache.write("newest", b"content")
    left = {file.stem for file in cache.iterdir()}
    assert left == {"newest", *(f"key{number}" for number in range(5, 10))}


WRITER = """
import sys
from detent.jit import object_cache
payload = bytes(range(256)) * 4000
print("ready", flush=True)
sys.stdin.readline()
bad = 0
for _ in range(60):
    assert object_cache.write("shared", payload)
    bad += object_cache.read("shared") != payload
print(bad)
"""


def test_two_processes_that_write_the_same_key_at_once_both_read_it_whole(cache: Path) -> None:
    start = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [subprocess.Popen([sys.executable, "-c", WRITER], env=environment, **start) for _ in range(2)]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60)[0] for writer in writers] == ["0\n", "0\n"]
    assert [file.name for file in cache.iterdir()] == ["shared.object"]
