"""The names that the server answers to. Others are refused, so that no other name can be made to lead here.

Source: "DNS rebinding"; Jackson, Barth, Bortz, Shao and Boneh, "Protecting Browsers from DNS Rebinding Attacks", 2007.
An address instead of a name is safe: the browser went to just that address.
"""

import ipaddress
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
EVERY = "*"


def names_for(host: str, more: Iterable[str]) -> frozenset[str]:
    """Return the names of a server that listens at `host`; `more` are those that its organiser adds."""
    names = {*LOOPBACK_NAMES, host.lower().rstrip("."), *(one.lower().rstrip(".") for one in more)}
    if host not in LOOPBACK_NAMES:
        names.add(socket.gethostname().lower())
    return frozenset(names)


def name_in(header: str) -> str | None:
    """Return the name of a Host header without its port, in lower case; None if it isn't one."""
    header = header.strip().lower()
    if header.startswith("["):
        name, closed, port = header[1:].partition("]")
        port = port.removeprefix(":")
        if not closed or not _is_address(name):
            return None
    else:
        name, _, port = header.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return None
    return name.rstrip(".") or None


class Hosts:
    """Middleware: refuses requests for other names. `addresses`: whether any address of a machine is right."""

    def __init__(self, app: ASGIApp, names: frozenset[str], *, addresses: bool) -> None:
        self._app = app
        self._names = names
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or EVERY in self._names:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope).getlist("host")
        name = name_in(headers[0]) if len(headers) == 1 else None
        if name is not None and (name in self._names or (self._addresses and _is_address(name))):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "This server doesn't answer to that name. Its organiser can add it with --allow-host NAME.\n",
            status_code=400,
        )
        await refusal(scope, receive, send)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
