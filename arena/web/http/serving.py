"""Runs the server until it is told to stop."""

import errno
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from arena.core.errors import UsageError
from arena.web.http.connections import ACCEPTED_AT_ONCE, Connection, Crowd, connection_class

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
        crowd: Crowd | None = None,
    ) -> None:
        """Prepare. `started` is called once requests are answered.

        `proxies`: from whom `X-Forwarded-For` and `X-Forwarded-Proto` count. `crowd`: the limits on connections.
        """
        crowd = crowd or Crowd(proxies)
        super().__init__(
            uvicorn.Config(
                app,
                http=connection_class(crowd),
                ws="none",
                lifespan="off",
                log_level="error",  # a line for each malformed request would let anybody fill the log
                access_log=False,
                server_header=False,
                proxy_headers=True,
                forwarded_allow_ips=list(proxies),
                timeout_graceful_shutdown=STOP_S,
                timeout_keep_alive=30,
                limit_concurrency=crowd.most,
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
