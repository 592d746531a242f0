"""The studio from the command line."""

import http.client
import re
import signal
import socket
import subprocess
import sys

import pytest

from detent.errors import MissingExtraError
from detent.studio.server import StudioServer

COMMAND = "import sys; sys.argv[0] = 'detent'; from detent.cli import main; sys.exit(main())"


def detent(*arguments):
    return [sys.executable, "-c", COMMAND, *arguments]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_asked_to_end_leaves_no_port(tmp_path, ending):
    pytest.importorskip("viser", reason="the extra 'studio' is not installed")
    arguments = detent("studio", "pendulum", "--no-browser", "--port", "0")
    with subprocess.Popen(
        arguments, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        line = process.stderr.readline()
        port = int(re.fullmatch(r"the studio is at http://127\.0\.0\.1:(\d+) \(Ctrl-C closes it\)\n", line)[1])
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
