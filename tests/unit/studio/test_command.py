"""The studio from the command line."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from detent.errors import MissingExtraError
from detent.studio.server import StudioServer

COMMAND = "import sys; sys.argv[0] = 'detent'; from detent.cli import main; sys.exit(main())"


def detent(*arguments):
    return [sys.executable, "-c", COMMAND, *arguments]


def port_in(line):
    return int(re.fullmatch(r"the studio is at http://127\.0\.0\.1:(\d+) \(Ctrl-C closes it\)\n", line)[1])


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_asked_to_end_leaves_no_port(tmp_path, ending):
    pytest.importorskip("viser", reason="the extra 'studio' is not installed")
    arguments = detent("studio", "pendulum", "--no-browser", "--port", "0")
    with subprocess.Popen(
        arguments, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        port = port_in(process.stderr.readline())
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(ending)
        out, errors = process.communicate()
    assert (process.returncode, out, errors) == (0, "", "")
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", port)) != 0
    assert list(tmp_path.iterdir()) == []


@contextmanager
def live_process(folder, port):
    """A live run on a page, in a session of its own, with a place of its own for temporary files; and its port."""
    pytest.importorskip("viser", reason="the extra 'studio' is not installed")
    (folder / "temporary").mkdir(exist_ok=True)
    arguments = detent("live", "pendulum", "--no-browser", "--port", str(port), "--log", "pendulum.jsonl")
    with subprocess.Popen(
        arguments, cwd=folder, env={**os.environ, "TMPDIR": str(folder / "temporary")}, start_new_session=True,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            line = process.stderr.readline()
            yield (
                process,
                int(re.fullmatch(r"the studio is at http://127\.0\.0\.1:(\d+) \(Ctrl-C closes it\)\n", line)[1]),
            )
        finally:
            process.kill()


def answer_of(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/")
    status = connection.getresponse().status
    connection.close()
    return status


def left_in_session(leader):
    """The processes of a session that are still there, a moment after its leader has ended included."""
    for _ in range(3000):
        found = []
        for entry in Path("/proc").iterdir():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
            except OSError:
                continue
            if fields and int(fields[3]) == leader and fields[0] != "Z":
                found.append(entry.name)
        if not found:
            return []
        time.sleep(0.01)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at as Linux tells them")
def test_a_live_run_that_is_ended_from_outside_leaves_nothing_and_the_next_finds_its_port_free(tmp_path):
    """Killed, then asked to end: no port, no process, no file but the log that was asked for, all lines of it whole."""
    port = 0
    for ending, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 0)):
        with live_process(tmp_path, port) as (process, found):
            assert port in (0, found)
            port = found
            assert answer_of(port) == 200
            process.send_signal(ending)
            assert process.communicate() == ("", "")
        assert process.returncode == code
        assert left_in_session(process.pid) == []
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.1", port)) != 0
        assert list((tmp_path / "temporary").iterdir()) == []
        assert {entry.name for entry in tmp_path.iterdir()} <= {"temporary", "pendulum.jsonl"}
        for line in (tmp_path / "pendulum.jsonl").read_text().splitlines():
            json.loads(line)


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(
        MissingExtraError, match=r'open the studio and is not installed; run: pip install "detent\[studio]"'
    ):
        StudioServer("127.0.0.1", 0)


def test_an_unknown_name_is_told_and_nothing_stays_open(tmp_path):
    pytest.importorskip("viser", reason="the extra 'studio' is not installed")
    done = subprocess.run(
        detent("studio", "pendulun", "--no-browser", "--port", "0"), capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "'pendulun'" in done.stderr
    assert "pendulum" in done.stderr
