"""Who may talk to the studio: a browser that shows the studio's own page, by the name that the studio goes by.

Any page that is open in a browser may send requests to 127.0.0.1, and a name that a stranger owns may lead there. The
first names itself in ``Origin``, the second is named in ``Host``; both are checked at every request, and a websocket
without an ``Origin`` is refused, as a browser always gives one.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from detent.errors import ValueProblem

LOOPBACK: Final = "127.0.0.1"
OWN_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


@final
@dataclass(frozen=True)
class Gate:
    """Lets in who asks for one of the ``names`` at the ``port``.

    >>> gate = Gate(("127.0.0.1", "localhost"), 8090)
    >>> gate.refusal({"Host": "localhost:8090"}, websocket=False)
    >>> gate.refusal({"Host": "rebound.example:8090"}, websocket=False)
    "the request is for 'rebound.example:8090'; this is 127.0.0.1:8090, localhost:8090"
    >>> gate.refusal({"Host": "localhost:8090", "Origin": "http://other.example"}, websocket=True)
    "the request comes from a page of 'http://other.example'; only those of http://localhost:8090 may"
    """

    names: tuple[str, ...]
    port: int

    @property
    def hosts(self) -> tuple[str, ...]:
        """What ``Host`` may be; at port 80, which browsers leave out, the names alone."""
        return tuple(name if self.port == 80 else f"{name}:{self.port}" for name in self.names)

    def refusal(self, headers: Mapping[str, str], websocket: bool) -> str | None:
        """Why a request is refused; None where it is not."""
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if host.lower() not in self.hosts:
            return f"the request is for {host[:80]!r}; this is {', '.join(self.hosts)}"
        own = f"http://{host}"
        if origin is None:
            return "a websocket is opened by a page, which says where it is from (Origin)" if websocket else None
        if origin.lower() != own.lower():
            return f"the request comes from a page of {origin[:80]!r}; only those of {own} may"
        return None


def gate_for(host: str, port: int) -> Gate:
    """The gate of a studio that is reached by a host's name or address.

    >>> gate_for("127.0.0.1", 8090).names
    ('127.0.0.1', 'localhost', '[::1]')
    >>> gate_for("0.0.0.0", 8090)
    Traceback (most recent call last):
        ...
    detent.errors.ValueProblem: host is '0.0.0.0', which is every address of this machine; give the one address or name
    by which its users reach it
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if not host or (address is not None and address.is_unspecified):
        raise ValueProblem(
            f"host is {host!r}, which is every address of this machine; give the one address or name by which its "
            "users reach it"
        )
    name = f"[{address}]" if address is not None and address.version == 6 else host.lower()  # as browsers write it
    return Gate(tuple(dict.fromkeys((name, *OWN_NAMES))) if is_own(host) else (name,), port)


def is_own(host: str) -> bool:
    """Whether a host's name or address is this machine as it calls itself, which no other reaches.

    >>> is_own("localhost"), is_own("192.0.2.7")
    (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
