"""Runs the server until it is told to stop."""

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from arena.core.errors import UsageError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that only this machine can reach."""
STOP_S = 5
"""How long open requests may take once the server is told to stop."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Port 0 stands for any free one. Raises UsageError if that is impossible."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError(
            f"--host {host}: there is no such address ({error.strerror})", "use 127.0.0.1"
        ) from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        with suppress(OSError):
            listener.close()
        raise UsageError(
            f"port {port} of {host} can't be used: {error.strerror}", "choose another one with --port"
        ) from None
    listener.set_inheritable(False)  # a bot must not get it
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address of the home page, for people on this machine."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def serve(app: FastAPI, listener: socket.socket, started: Callable[[], None]) -> None:
    """Answer requests until SIGINT or SIGTERM. `started` is called once requests are answered."""

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1,::1",
        timeout_graceful_shutdown=STOP_S,
        timeout_keep_alive=30,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=64 * 1024,
    )
    Server(config).run(sockets=[listener])
