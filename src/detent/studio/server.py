"""The server of the studio: viser's, behind a gate of our own.

viser answers whoever asks, lets messages be 50 MB long and hands out a public link on request. What follows closes
these three doors. It serves from a socket that is bound here, so that a port that is taken is an error with a name.
"""

from __future__ import annotations

import contextlib
import http
import io
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, final

from detent.errors import DetentError, MissingExtraError
from detent.studio.gate import Gate, gate_for

MOST_BYTES: Final = 2**20
"""Of a message from the page. What it sends are clicks, numbers and short texts."""
PORT: Final = 8765
TRIES: Final = 20
"""Ports after the first that are tried, where no port was asked for."""

_construction: Final = threading.Lock()


@final
class StudioServer:
    """A viser server that listens to its own page alone; ``viser`` is that server."""

    def __init__(self, host: str, port: int | None = None) -> None:
        viser = required_viser()
        gate_for(host, 0)
        listener = _listening(host, port)
        self.port: int = listener.getsockname()[1]
        self.gate = gate_for(host, self.port)
        try:
            with _construction, _quiet(), _serving_from(listener, self.gate):
                self.viser: Any = viser.ViserServer(host=host, port=self.port, verbose=False)
        except BaseException:
            listener.close()
            raise
        self._listener = listener
        self._shut_share()
        self.viser.gui.configure_theme(show_share_button=False, show_logo=False, control_width="large")

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.gate.hosts[0]}"

    def close(self) -> None:
        """Leave nothing behind: no port, no thread."""
        with _construction, _quiet():
            self.viser.stop()
            self.viser._websock_server._server_thread.join()
            self.viser._thread_executor.shutdown(wait=True, cancel_futures=True)
        self._listener.close()

    def _shut_share(self) -> None:
        """Have the server do nothing when a page asks for a public link."""
        from viser import _messages

        for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
            self.viser._websock_server.unregister_handler(message)


def required_viser() -> Any:
    """viser, which the extra ``studio`` brings."""
    try:
        import viser
    except ModuleNotFoundError as error:
        if error.name != "viser":
            raise
        raise MissingExtraError("viser", "studio", "open the studio") from None
    return viser


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket bound to the host, at the port or, where none was asked for, at one of some usual ones."""
    wanted = range(PORT, PORT + TRIES) if port is None else (port,)
    problem: OSError | None = None
    for each in wanted:
        try:
            family = socket.getaddrinfo(host, each, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, each), family=family)
        except (OSError, OverflowError) as error:
            problem = error if isinstance(error, OSError) else OSError(str(error))
    where = f"{host}, port {wanted[0]}" + (f" to {wanted[-1]}" if len(wanted) > 1 else "")
    raise DetentError(f"the studio cannot listen at {where}: {problem}; give another --port, or --host") from problem


@contextlib.contextmanager
def _serving_from(listener: socket.socket, gate: Gate) -> Iterator[None]:
    """Have a viser server that is made meanwhile serve from a socket of ours, behind the gate.

    viser offers no door for that. It calls ``websockets.asyncio.server.serve`` once before its constructor returns.
    """
    from viser.infra import _infra

    module = _infra.websockets.asyncio.server
    serve = module.serve

    def guarded_serve(handler: Any, host: Any, port: Any, **options: Any) -> Any:
        inner = options.pop("process_request")
        options["max_size"] = MOST_BYTES
        return serve(handler, sock=listener, process_request=guarded(inner, gate), **options)

    module.serve = guarded_serve
    try:
        yield
    finally:
        module.serve = serve


def guarded(inner: Callable[[Any, Any], Any], gate: Gate) -> Callable[[Any, Any], Any]:
    """What answers a request, behind the gate; a page of ours is not shown inside of another's."""

    def answer(connection: Any, request: Any) -> Any:
        websocket = "upgrade" in {name.lower() for name, _ in request.headers.raw_items()}
        refusal = _repeated(request.headers) or gate.refusal(request.headers, websocket)
        if refusal is not None:
            return connection.respond(http.HTTPStatus.FORBIDDEN, f"refused: {refusal}\n")
        response = inner(connection, request)
        if response is not None:
            response.headers["X-Frame-Options"] = "DENY"
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return answer


def _repeated(headers: Any) -> str | None:
    """Which of the names that are checked a request gives twice."""
    for name in ("Host", "Origin"):
        if len(headers.get_all(name)) > 1:
            return f"the request has more than one {name}"
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """viser tells on standard output when it starts and stops; the studio says that itself."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
