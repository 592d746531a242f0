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
from detent.jit.file_trust import distrusted
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


# -- how much is kept ------------------------------------------------------------------------------------


def test_the_bounds_are_those_of_the_documentation() -> None:
    assert (object_cache.MOST_FILES, object_cache.KEPT_FILES, object_cache.LOOK_EVERY) == (5000, 3750, 64)
    assert object_cache.TOUCH_AFTER == 24 * 3600


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache for ten files, of which eight stay, and that is looked at with every write."""
    for name, number in (("MOST_FILES", 10), ("KEPT_FILES", 8), ("LOOK_EVERY", 1)):
        monkeypatch.setattr(object_cache, name, number)


def kept(cache: Path) -> set[str]:
    return {file.name for file in cache.iterdir()}


def fill(cache: Path, count: int = 10) -> None:
    for number in range(count):
        assert object_cache.write(f"key{number}", b"content")
        os.utime(cache / f"key{number}.object", (number, number))


@pytest.mark.usefixtures("small")
def test_past_its_bound_what_was_least_recently_used_goes(cache: Path) -> None:
    fill(cache)
    assert len(kept(cache)) == 10
    assert object_cache.read("key0") == b"content"  # used again, so it stays
    assert object_cache.write("newest", b"content")
    assert kept(cache) == {"newest.object", "key0.object", *(f"key{number}.object" for number in range(4, 10))}


@pytest.mark.usefixtures("small")
def test_kernels_go_last(cache: Path) -> None:
    for number in range(4):
        assert object_cache.write(f"kernels{number}", b"content", kind="kernels")
        os.utime(cache / f"kernels{number}.kernels", (number - 100, number - 100))
    fill(cache, 7)
    assert kept(cache) == {*(f"kernels{n}.kernels" for n in range(4)), *(f"key{n}.object" for n in range(3, 7))}
    assert [object_cache.read(f"kernels{number}") for number in range(4)] == [b"content"] * 4
    for number in range(4, 12):
        assert object_cache.write(f"kernels{number}", b"content", kind="kernels")
    assert not any(name.endswith(".object") for name in kept(cache))


@pytest.mark.slow
def test_ten_thousand_objects_do_not_push_the_kernels_out(cache: Path) -> None:
    """The folder stays within its bound and what was written since it was last looked at."""
    for number in range(6):
        object_cache.write(object_cache.key_of("kernels", str(number)), b"kernel", kind="kernels")
    for number in range(10_000):
        object_cache.write(object_cache.key_of(str(number)), b"object")
    assert len(kept(cache)) < 5000 + 10 * 64
    for number in range(6):
        assert object_cache.read(object_cache.key_of("kernels", str(number))) == b"kernel"
    assert object_cache.read(object_cache.key_of("9999")) == b"object"


def test_most_writes_do_not_look_at_the_folder(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[object] = []
    look = os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: looks.append(place) or look(place))
    for number in range(1280):
        object_cache.write(object_cache.key_of(str(number)), b"content")
    assert 10 <= len(looks) <= 30  # 20 in the mean, always the same for the same keys


def test_reading_counts_as_using_once_a_day(cache: Path) -> None:
    object_cache.write("key", b"content")
    file = cache / "key.object"
    for long_ago in (1e9, 1.1e9):
        os.utime(file, (long_ago, long_ago))
        assert object_cache.read("key") == b"content"
        assert file.stat().st_mtime > 1.2e9
    ahead = file.stat().st_mtime + 3600  # within a day of now
    os.utime(file, (ahead, ahead))
    assert object_cache.read("key") == b"content"
    assert file.stat().st_mtime == ahead


@pytest.mark.usefixtures("small")
def test_what_a_killed_process_left_half_written_is_cleared_away(cache: Path) -> None:
    object_cache.write("key", b"content")
    for name, used in ((".writing-old", 1e9), (".writing-now", None)):
        (cache / name).write_bytes(b"half")
        if used is not None:
            os.utime(cache / name, (used, used))
    object_cache.write("other", b"content")
    assert kept(cache) == {"key.object", "other.object", ".writing-now"}


# -- whom to trust ---------------------------------------------------------------------------------------


def of(mode: int, user: int) -> os.stat_result:
    return os.stat_result((mode, 0, 0, 1, user, user, 0, 0, 0, 0))


@pytest.mark.parametrize("mode", [0o40700, 0o40755, 0o40750, 0o40500, 0o100600, 0o100644])
def test_what_only_this_user_or_the_administrator_may_write_is_trusted(mode: int) -> None:
    assert distrusted(of(mode, 1000), 1000) is None
    assert distrusted(of(mode, 0), 1000) is None
    assert distrusted(of(mode, 0), 0) is None
    assert distrusted(of(mode, 1000), 1001) == "it belongs to user 1000 and not to user 1001, who runs this"
    assert distrusted(of(mode, 1000), 0) == "it belongs to user 1000 and not to user 0, who runs this"


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o720, 0o702, 0o1777, 0o2775])
def test_what_others_may_write_is_not_trusted(mode: int) -> None:
    """A sticky folder neither: others cannot replace what is in it, but they can put in what is not there yet."""
    assert distrusted(of(0o40000 | mode, 1000), 1000) == f"others may write to it (its mode is {mode:o})"
    assert distrusted(of(0o40000 | mode, 1000), None) is None  # a system without such numbers


UNIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system has no modes of files")


@UNIX
def test_a_folder_that_others_may_write_to_is_not_used_and_that_is_said_once(cache: Path) -> None:
    assert object_cache.write("key", b"content")
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"objects', is not used, for others may write .*mode is 777") as told:
        assert object_cache.read("key") is None
    assert "chmod go-w" in str(told[0].message)
    assert "DETENT_CACHE_DIR" in str(told[0].message)
    # A second warning would fail the test.
    assert not object_cache.write("other", b"content")
    assert not object_cache.is_writable()
    assert not native().from_cache
    assert not native().from_cache
    assert works()
    assert kept(cache) == {"key.object"}
    cache.chmod(0o755)
    assert object_cache.read("key") == b"content"
    assert object_cache.is_writable()


@UNIX
@pytest.mark.parametrize("obstacle", ["others may write", "link", "pipe", "folder", "huge"])
def test_a_file_that_others_may_have_written_is_not_read_but_replaced(
    cache: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    assert object_cache.write("key", b"content")
    file = cache / "key.object"
    if obstacle == "others may write":
        file.chmod(0o622)
    elif obstacle == "link":
        file.rename(cache / "elsewhere")
        file.symlink_to(cache / "elsewhere")
    elif obstacle == "pipe":
        file.unlink()
        os.mkfifo(file)
    elif obstacle == "folder":
        file.unlink()
        file.mkdir()
    else:
        monkeypatch.setattr(object_cache, "MOST_BYTES", 20)
    assert object_cache.read("key") is None
    assert object_cache.write("key", b"content") == (obstacle != "folder")
    monkeypatch.setattr(object_cache, "MOST_BYTES", 1 << 28)
    assert object_cache.read("key") == (None if obstacle == "folder" else b"content")


@UNIX
def test_a_link_to_a_folder_of_ones_own_is_followed(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "disk")
    assert object_cache.write("key", b"content")
    assert object_cache.read("key") == b"content"


@UNIX
def test_the_folder_and_what_is_in_it_are_made_for_this_user_alone(cache: Path) -> None:
    before = os.umask(0)
    try:
        assert object_cache.write("key", b"content")
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (cache, cache / "key.object")] == [0o700, 0o600]


def test_an_object_under_the_name_of_another_is_ignored(cache: Path) -> None:
    """Every object of a tape exports the same name: the wrong one would run other equations in silence."""
    native(2.5)
    first = only_file(cache)
    native(2.6)
    (second,) = set(cache.iterdir()) - {first}
    second.write_bytes(first.read_bytes())
    assert native(2.5).from_cache
    assert not native(2.6).from_cache
    assert native(2.6).from_cache


# -- several processes -----------------------------------------------------------------------------------

WRITER = """
import sys
from detent.jit import object_cache
from detent.jit.file_trust import distrusted
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
