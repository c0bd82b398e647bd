"""Connections of HTTP/1.1, with limits on how many there are and on how slowly each may send and read.

What a client doesn't read waits in memory, and its connection takes the place of another one. So a response leaves in
pieces (`Pieces`), each when most of the one before has left, and a connection that reads nothing is cut off.

A proxy in front must see requests end where they end here. What it could read in another way is refused (`Requests`).
"""

import asyncio
import re
import resource
from collections import Counter
from collections.abc import Sequence
from typing import Any

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.http.hosts import counted_as, is_among, is_loopback

HEAD_S = 20.0
"""How long the head of a request may take, from the beginning of the connection or of the request."""
STALL_S = 30.0
"""How long a client may take to read `LEAST_READ_BYTES` of what waits for it."""
LEAST_READ_BYTES = 16_384
MOST_HEAD_BYTES = 65_536
PIECE_BYTES = 65_536
MOST_CONNECTIONS = 1_000
"""More get 503 for an answer; those beyond `_SPARE` more get none."""
MOST_OF_ADDRESS = 200
"""Connections of one address. This machine and trusted proxies may stand for many people: they have no limit."""
ACCEPTED_AT_ONCE = 256
_SPARE = 100
_OTHER_DESCRIPTORS = 512
"""What the server opens besides connections, and what it may accept before it counts."""
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"retry-after: 30\r\ncontent-length: 47\r\n\r\nThere are too many connections from your side.\n"
)


class Crowd:
    """Who is connected. `proxies`: addresses and networks that stand for many people."""

    def __init__(
        self, proxies: Sequence[str], stall_s: float = STALL_S, most_of_address: int = MOST_OF_ADDRESS
    ) -> None:
        self.stall_s = stall_s
        self.most = most_connections()
        self._most_of_address = most_of_address
        self._proxies = tuple(proxies)
        self._by_address: Counter[str] = Counter()

    def enter(self, host: str) -> bool:
        """Count a connection; return whether its address may have so many."""
        address = counted_as(host)
        self._by_address[address] += 1
        if self._by_address[address] <= self._most_of_address:
            return True
        return is_loopback(host) or is_among(host, self._proxies)

    def leave(self, host: str) -> None:
        """Count a connection no longer."""
        address = counted_as(host)
        self._by_address[address] -= 1
        if self._by_address[address] <= 0:
            del self._by_address[address]


def most_connections() -> int:
    """Return how many connections there may be, after raising the limit of open files as far as it is needed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _SPARE + _OTHER_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(64, soft - _SPARE - _OTHER_DESCRIPTORS))


_OTHER_LINES = re.compile(rb"(?<!\r)\n|\n[ \t]")
"""Lines that end in a bare LF, or that continue the one before."""
_CLOSE = (b"connection", b"close")


class Requests(h11.Connection):
    """Reads the requests of a connection: of what RFC 9112 leaves to the recipient, only what has one meaning.

    Refused are lines that end in a bare LF (section 2.2), headers folded over lines (5.2), several lengths (6.3), and a
    length or HTTP/1.0 with `Transfer-Encoding` (6.1). The end of a chunked body has variants too, so nothing after one
    is read.
    """

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return what comes next. Raises RemoteProtocolError."""
        before = self.trailing_data[0] if self.their_state is h11.IDLE else b""
        event = super().next_event()
        if not isinstance(event, h11.Request):
            return event
        head = before[: len(before) - len(self.trailing_data[0])]
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        is_coded = any(name == b"transfer-encoding" for name, _ in event.headers)
        if _OTHER_LINES.search(head):
            raise h11.RemoteProtocolError("lines end in CRLF, and each header has one")
        if len(lengths) > 1 or b"," in b"".join(lengths):
            raise h11.RemoteProtocolError("several lengths")
        if not is_coded:
            return event
        if lengths or event.http_version < b"1.1":
            raise h11.RemoteProtocolError("Transfer-Encoding with a length, or in HTTP/1.0")
        headers = [*event.headers, _CLOSE]
        return h11.Request(
            method=event.method, target=event.target, headers=headers, http_version=event.http_version
        )


class Connection(H11Protocol):
    """One connection."""

    crowd: Crowd
    _late: asyncio.TimerHandle | None = None
    _host: str | None = None
    """The address it is counted for."""
    _unsent: tuple[int, float] | None = None
    """How many bytes waited, and since when the client has read hardly any of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = Requests(h11.SERVER, MOST_HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Count the connection and wait for its first request."""
        super().connection_made(transport)
        if len(self.connections) > self.crowd.most + _SPARE:
            transport.abort()
            return
        self._host = self.client[0] if self.client else ""
        if not self.crowd.enter(self._host):
            transport.write(_TOO_MANY)
            transport.close()
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take in what the client has sent."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:  # the head is complete
            self._wait_no_more()
        elif self._late is None:
            self._wait_for_head()

    def send_400_response(self, msg: str) -> None:
        """Refuse what can't be read, and close the connection, of which nothing more is read."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # whoever works on an answer can't send it any more
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # the answer has begun
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no longer."""
        self._wait_no_more()
        if self._host is not None:
            self.crowd.leave(self._host)
            self._host = None
        super().connection_lost(exc)

    def look(self, now_s: float) -> None:
        """Cut the connection off if its client doesn't read what waits for it. To be called every now and then."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent:
            self._unsent = None
        elif self._unsent is None or not self._unsent[0] - LEAST_READ_BYTES < unsent <= self._unsent[0]:
            self._unsent = (unsent, now_s)
        elif now_s - self._unsent[1] > self.crowd.stall_s:
            self.transport.abort()

    def _wait_for_head(self) -> None:
        self._late = self.loop.call_later(HEAD_S, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def connection_class(crowd: Crowd) -> type[Connection]:
    """Return the class of connections that count among these."""
    return type("Connection", (Connection,), {"crowd": crowd})


class Pieces:
    """Middleware: sends long bodies in pieces, so that only a small part waits in memory for a slow client."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def in_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if message["type"] != "http.response.body" or len(body) <= PIECE_BYTES:
                await send(message)
                return
            for start in range(0, len(body), PIECE_BYTES):
                piece = body[start : start + PIECE_BYTES]
                goes_on = message.get("more_body", False) or start + PIECE_BYTES < len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": goes_on})

        await self._app(scope, receive, in_pieces if scope["type"] == "http" else send)
