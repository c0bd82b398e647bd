"""The names that the server answers to. Others are refused, so that no other name can be made to lead here.

Source: "DNS rebinding"; Jackson, Barth, Bortz, Shao and Boneh, "Protecting Browsers from DNS Rebinding Attacks", 2007.
An address instead of a name is safe: the browser went to just that address.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.core.errors import UsageError

EVERY = "*"


def counted_as(host: str) -> str:
    """Return what an address is counted as: of IPv6 the first half, because one machine has all the others."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:100]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False).network_address) + "/64"
    return str(address)


def is_loopback(host: str) -> bool:
    """Return whether an address is one of this machine alone."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def is_among(host: str, networks: Iterable[str]) -> bool:
    """Return whether an address is one of these, or in one of these networks; `*` stands for all."""
    for network in networks:
        if network in (EVERY, host):
            return True
        try:
            if ipaddress.ip_address(host.partition("%")[0]) in ipaddress.ip_network(network, strict=False):
                return True
        except ValueError:
            continue
    return False


LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.IGNORECASE)
"""A part of a host name; source: RFC 1123, section 2.1. Names in a local network also have underscores."""
_MOST_NAME_CHARS = 253


def check_name(name: str) -> None:
    """Raise UsageError for what is neither a host name, nor an address, nor `*`."""
    labels = name.removesuffix(".").split(".")
    if name == EVERY or _is_address(name):
        return
    if len(name) > _MOST_NAME_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise UsageError(
            f"--allow-host {name!r} is no host name",
            "give the name alone, as in an address after https://, such as arena.example; without a port",
        )


def check_network(network: str) -> None:
    """Raise UsageError for what is neither an address nor a network, nor `*`, which stands for all."""
    if network == EVERY:
        return
    try:
        ipaddress.ip_network(network)
    except ValueError:
        try:
            hint = f"the network that it is in: {ipaddress.ip_network(network, strict=False)}"
        except ValueError:
            hint = "give an address such as 10.0.0.5, or a network such as 10.0.0.0/24"
        raise UsageError(f"--trust-proxy {network!r} is neither an address nor a network", hint) from None


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
