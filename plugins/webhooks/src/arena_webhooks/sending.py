"""Sends a message to the address of a webhook, through urllib3.

The name is looked up once. Every machine that it may mean is checked, and the connection goes to one of these and to
no other. The certificate has to be that of the name. Redirects aren't followed, and of the answer only the status
counts: nothing of it is read, kept or shown.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPException
from typing import Any, NamedTuple

from urllib3.connection import HTTPSConnection
from urllib3.exceptions import HTTPError

from arena.core.errors import UsageError
from arena_webhooks.addresses import PORT, Target, all_public, target_of
from arena_webhooks.tables import Became

CONNECT_S = 5.0
TOTAL_S = 10.0
"""For the handshake, the message and the head of the answer together."""
MOST_TRIED = 2
"""Machines of one name."""
_AGAIN = frozenset({408, 425, 429})
"""Answers after which a message is sent again, besides those from 500 on."""


class Outcome(NamedTuple):
    """What became of an attempt."""

    became: Became
    words: str
    """For the owner; without the address and without anything of the answer but its status."""


class _Pinned(HTTPSConnection):
    """A connection to a machine that has been checked; who is there has to prove the name."""

    def __init__(self, host: str, opened: socket.socket, context: ssl.SSLContext) -> None:
        super().__init__(host, PORT, timeout=TOTAL_S, ssl_context=context)
        self._opened = opened

    def _new_conn(self) -> socket.socket:
        return self._opened


def _connected(machine: str, timeout_s: float) -> socket.socket:
    return socket.create_connection((machine, PORT), timeout_s)


class Sender:
    """Sends messages. May be used from several threads."""

    def __init__(
        self,
        resolve: Callable[..., Sequence[tuple[Any, ...]]] = socket.getaddrinfo,
        connect: Callable[[str, float], socket.socket] = _connected,
        context: ssl.SSLContext | None = None,
        total_s: float = TOTAL_S,
    ) -> None:
        """`resolve`: as `socket.getaddrinfo`; `connect` opens a connection to a machine by its number."""
        self._resolve, self._connect, self._total_s = resolve, connect, total_s
        self._context = context or ssl.create_default_context()

    def post(self, address: str, body: bytes) -> Outcome:
        """Send JSON to an address; return what became of it."""
        try:
            target = target_of(address)
        except UsageError as error:
            return Outcome("refused", str(error))
        try:
            found = self._resolve(target.host, PORT, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return Outcome("later", "its host name isn't known")
        machines = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not all_public(machines):
            return Outcome("refused", "its host name leads into a network that isn't public")
        opened = self._opened(machines[:MOST_TRIED])
        if opened is None:
            return Outcome("later", "its host can't be reached")
        return self._sent(target, opened, body)

    def _opened(self, machines: Sequence[str]) -> socket.socket | None:
        for machine in machines:
            with suppress(OSError):
                return self._connect(machine, CONNECT_S)
        return None

    def _sent(self, target: Target, opened: socket.socket, body: bytes) -> Outcome:
        with opened.dup() as same:  # the handshake takes `opened` over
            over = threading.Timer(self._total_s, _shut, (same,))
            over.daemon = True
            over.start()
            connection = _Pinned(target.host, opened, self._context)
            try:
                headers = {
                    "Content-Type": "application/json",
                    "User-Agent": "arena-league",
                    "Connection": "close",
                }
                connection.request("POST", target.path, body, headers, preload_content=False)
                status = connection.getresponse().status
            except ssl.SSLCertVerificationError:
                return Outcome("later", "its certificate isn't valid")
            except (HTTPError, HTTPException, OSError, ValueError, AttributeError):
                return Outcome("later", "it didn't answer in time, or not by HTTPS")
            finally:
                over.cancel()
                connection.close()
                opened.close()
        return _judged(status)


def _shut(connection: socket.socket) -> None:
    """End a connection whose time is over; what waits for it goes on with an error."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _judged(status: int) -> Outcome:
    if 200 <= status < 300:
        return Outcome("sent", "delivered")
    if status >= 500 or status in _AGAIN:
        return Outcome("later", f"it answered {status}")
    if 300 <= status < 400:
        return Outcome("refused", f"it answered {status}, and redirects aren't followed")
    return Outcome("refused", f"it answered {status}")
