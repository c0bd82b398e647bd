"""Runs the server: connections of HTTP/1.1, with limits on how many there are and on how slowly each may send and read.

What a client doesn't read waits in memory, and its connection takes the place of another one. So a response leaves in
pieces (`in_pieces`), each when most of the one before has left, and a connection that reads nothing is cut off.

A proxy in front must see requests end where they end here. What it could read in another way is refused (`Requests`).
"""

import asyncio
import errno
import re
import resource
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.core.errors import UsageError
from arena.web.http.allowed_hosts import counted_as, for_requests, is_among, is_loopback

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


class ConnectionLimits:
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

    limits: ConnectionLimits
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
        if len(self.connections) > self.limits.most + _SPARE:
            transport.abort()
            return
        self._host = self.client[0] if self.client else ""
        if not self.limits.enter(self._host):
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
            self.limits.leave(self._host)
            self._host = None
        super().connection_lost(exc)

    def look(self, now_s: float) -> None:
        """Cut the connection off if its client doesn't read what waits for it. To be called every now and then."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent:
            self._unsent = None
        elif self._unsent is None or not self._unsent[0] - LEAST_READ_BYTES < unsent <= self._unsent[0]:
            self._unsent = (unsent, now_s)
        elif now_s - self._unsent[1] > self.limits.stall_s:
            self.transport.abort()

    def _wait_for_head(self) -> None:
        self._late = self.loop.call_later(HEAD_S, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def in_pieces(app: ASGIApp) -> ASGIApp:
    """Middleware: sends long bodies in pieces, so that only a small part waits in memory for a slow client."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if message["type"] != "http.response.body" or len(body) <= PIECE_BYTES:
                await send(message)
                return
            for start in range(0, len(body), PIECE_BYTES):
                piece = body[start : start + PIECE_BYTES]
                goes_on = message.get("more_body", False) or start + PIECE_BYTES < len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": goes_on})

        await app(scope, receive, send_pieces)

    return for_requests(app, answer)


LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that only this machine can reach."""
LOOPBACK_ADDRESSES = ("127.0.0.1", "::1")
STOP_S = 5
"""How long open requests may take once the server is told to stop."""
SWITCH_S = 0.0005
"""How long a thread that computes keeps the interpreter from the one that answers; 5 ms by default."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Port 0 stands for any free one. Raises UsageError if that is impossible."""
    try:
        family, _, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError(
            f"--host {host}: there is no such address ({error.strerror})", "use 127.0.0.1"
        ) from None
    # asyncio sets TCP_NODELAY only on sockets that name their protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, proto)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        with suppress(OSError):
            listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise UsageError(
                f"--host {host}: this machine doesn't have that address",
                "use 127.0.0.1, or 0.0.0.0 for all of them",
            ) from None
        raise UsageError(
            f"port {port} of {host} can't be used: {error.strerror}", "choose another one with --port"
        ) from None
    listener.set_inheritable(False)  # a bot must not get it
    return listener


def address_of(listener: socket.socket, prefix: str) -> str:
    """Return the address of the home page, for people on this machine."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}{prefix}/"


class Server(uvicorn.Server):
    """Answers requests until `ask_to_stop`. Leaves signals to its caller."""

    def __init__(
        self,
        app: FastAPI,
        listener: socket.socket,
        started: Callable[[], None],
        proxies: Sequence[str] = LOOPBACK_ADDRESSES,
        limits: ConnectionLimits | None = None,
    ) -> None:
        """Prepare. `started` is called once requests are answered.

        `proxies`: from whom `X-Forwarded-For` and `X-Forwarded-Proto` count. `limits`: the limits on connections.
        """
        limits = limits or ConnectionLimits(proxies)
        super().__init__(
            uvicorn.Config(
                app,
                http=type("Connection", (Connection,), {"limits": limits}),
                ws="none",
                lifespan="off",
                log_level="error",  # a line for each malformed request would let anybody fill the log
                access_log=False,
                server_header=False,
                proxy_headers=True,
                forwarded_allow_ips=list(proxies),
                timeout_graceful_shutdown=STOP_S,
                timeout_keep_alive=30,
                limit_concurrency=limits.most,
                backlog=ACCEPTED_AT_ONCE,
            )
        )
        self._listener = listener
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer requests."""
        await super().startup(sockets)
        self._started()

    async def on_tick(self, counter: int) -> bool:
        """Look after the connections, about once a second; return whether to stop."""
        if counter % 10 == 0:
            now_s = time.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.look(now_s)
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield

    def answer(self) -> None:
        """Answer requests until the end."""
        sys.setswitchinterval(SWITCH_S)
        self.run(sockets=[self._listener])

    def ask_to_stop(self) -> None:
        """Let open requests end, for up to `STOP_S`; a second time, end them. For signal handlers."""
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True
