"""The studio talks to its own page alone, and leaves nothing behind."""

import http.client
import socket
import threading

import pytest

from detent.errors import DetentError, ValueProblem
from detent.studio.gate import gate_for
from detent.studio.server import MOST_BYTES, StudioServer

viser = pytest.importorskip("viser", reason="the extra 'studio' is not installed")
PROTOCOL = f"viser-v{viser.__version__}"


@pytest.fixture(scope="module")
def server():
    made = StudioServer("127.0.0.1", 0)
    yield made
    made.close()


def answer(server, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest("GET", "/", skip_host=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.read(), dict(response.getheaders())
    finally:
        connection.close()


def opened(server, **more):
    from websockets.sync.client import connect

    return connect(f"ws://127.0.0.1:{server.port}", subprotocols=[PROTOCOL], open_timeout=60, **more)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_its_own_page_is_given(server, name):
    status, body, headers = answer(server, Host=f"{name}:{server.port}")
    assert status == 200
    assert b"<html" in body[:2000].lower()
    assert headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1", "localhost:1", "127.0.0.1.rebound.example"])
def test_a_foreign_host_is_refused(server, host):
    status, body, _ = answer(server, Host=host)
    assert status == 403
    assert b"the request is for" in body


def test_a_request_without_a_host_is_refused(server):
    assert answer(server)[0] == 403


@pytest.mark.parametrize("origin", ["http://other.example", "null", "https://127.0.0.1", "http://localhost:1"])
def test_a_foreign_origin_is_refused(server, origin):
    status, body, _ = answer(server, Host=f"127.0.0.1:{server.port}", Origin=origin)
    assert status == 403
    assert b"the request comes from a page of" in body


def test_a_websocket_of_its_own_page_is_let_in(server):
    with opened(server, origin=f"http://127.0.0.1:{server.port}") as socket_:
        assert isinstance(socket_.recv(timeout=60), bytes)


@pytest.mark.parametrize("origin", ["http://other.example", f"http://127.0.0.1:{1}", None])
def test_a_websocket_of_a_foreign_page_gets_nothing(server, origin):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus, match="403"):
        opened(server, origin=origin)


def test_a_message_that_is_too_long_ends_the_connection(server):
    from websockets.exceptions import ConnectionClosed

    with opened(server, origin=f"http://127.0.0.1:{server.port}") as socket_:
        socket_.send(b"x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed) as closed:
            _ = [*socket_]
    assert closed.value.rcvd.code == 1009


def test_no_page_can_ask_for_a_public_link(server):
    from viser import _messages

    handlers = server.viser._websock_server._incoming_handlers
    assert _messages.ShareUrlRequest not in handlers
    assert _messages.ShareUrlDisconnect not in handlers


def test_closing_leaves_no_port_and_no_thread():
    before = set(threading.enumerate())
    made = StudioServer("127.0.0.1", 0)
    with opened(made, origin=f"http://127.0.0.1:{made.port}") as socket_:
        socket_.recv(timeout=60)
        made.close()
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", made.port)) != 0
    left = set(threading.enumerate()) - before
    for thread in left:  # one that has been told to end may still be on its way
        thread.join(timeout=60)
    assert [thread.name for thread in left if thread.is_alive()] == []


def test_a_port_that_is_taken_is_named(server):
    with pytest.raises(DetentError, match=f"cannot listen at 127.0.0.1, port {server.port}: .*give another --port"):
        StudioServer("127.0.0.1", server.port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_a_studio_for_others_needs_the_one_address_by_which_they_reach_it(host):
    with pytest.raises(ValueProblem, match="give the one address or name"):
        StudioServer(host)


def test_a_studio_for_others_goes_by_that_address_alone():
    assert gate_for("192.0.2.7", 80).names == ("192.0.2.7",)
    assert gate_for("2001:db8::7", 8090).hosts == ("[2001:db8::7]:8090",)


@pytest.mark.parametrize(
    "frame", [b"", b"\x00", b"\xff" * 1000, b"\x93\x01\x02", b"not msgpack", bytes(range(256)) * 40, "text"]
)
def test_garbage_from_a_page_ends_at_most_its_own_connection(server, frame):
    from contextlib import suppress

    from websockets.exceptions import ConnectionClosed

    with opened(server, origin=f"http://127.0.0.1:{server.port}") as socket_, suppress(ConnectionClosed):
        socket_.send(frame)
        socket_.recv(timeout=60)
    with opened(server, origin=f"http://127.0.0.1:{server.port}") as socket_:
        assert isinstance(socket_.recv(timeout=60), bytes)


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%5c..%5cetc"])
def test_no_file_of_the_machine_is_given(server, path):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as plain:
        plain.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        plain.shutdown(socket.SHUT_WR)
        answered = b""
        while got := plain.recv(65536):
            answered += got
    assert b"root:" not in answered


def test_names_are_as_browsers_write_them() -> None:
    """They leave port 80 out, and write addresses of six in small letters and short."""
    assert (
        gate_for("127.0.0.1", 80).refusal({"Host": "localhost", "Origin": "http://localhost"}, websocket=True) is None
    )
    assert gate_for("127.0.0.1", 80).refusal({"Host": "rebound.example"}, websocket=False) is not None
    assert gate_for("FE80:0::1", 8090).hosts == ("[fe80::1]:8090",)
