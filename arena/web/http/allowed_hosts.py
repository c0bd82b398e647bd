"""The addresses of a site: host names it answers to, its prefix, and the paths that a redirect may lead to.

Other names are refused, so that no other name can be made to lead here. An address instead of a name is safe: the
browser went to just that address. Source: "DNS rebinding"; Jackson, Barth, Bortz, Shao and Boneh, "Protecting Browsers
from DNS Rebinding Attacks", 2007.

The path of a request has to have the prefix: if it could be missing, each page would have two addresses, and rules of
a proxy for one of them would miss the other. Source: ASGI, `root_path`, which Starlette's routes leave out of the path.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote, unquote, urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.client.api_types import Problem
from arena.core.errors import UsageError

EVERY = "*"


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a text is, of IPv6 without its zone; None if it is none."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def counted_as(host: str) -> str:
    """Return what an address is counted as: of IPv6 the first half, because one machine has all the others."""
    address = _address(host)
    if isinstance(address, IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False).network_address) + "/64"
    return str(address or host[:100])


def is_loopback(host: str) -> bool:
    """Return whether an address is one of this machine alone."""
    address = _address(host)
    return address is not None and address.is_loopback


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


def public_name(names: Sequence[str]) -> str:
    """Return the first of the names that the organiser adds; empty if it is an address of a machine, or any name."""
    name = names[0].lower().rstrip(".") if names else ""
    return "" if name == EVERY or _is_address(name) else name


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


def for_requests(app: ASGIApp, answer: ASGIApp) -> ASGIApp:
    """Return what has requests answered by a middleware, and all else by the application in it."""

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        await (answer if scope["type"] == "http" else app)(scope, receive, send)

    return either


def only_names(app: ASGIApp, names: frozenset[str], *, addresses: bool) -> ASGIApp:
    """Middleware: refuses requests for other names. `addresses`: whether any address of a machine is right."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope).getlist("host")
        name = name_in(headers[0]) if len(headers) == 1 else None
        if EVERY in names or (name and (name in names or (addresses and _is_address(name)))):
            await app(scope, receive, send)
            return
        words = "This server doesn't answer to that name. Its organiser can add it with --allow-host NAME.\n"
        await PlainTextResponse(words, 400)(scope, receive, send)

    return for_requests(app, answer)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


MOST_CHARS = 500
MOST_PREFIX_CHARS = 100
_PREFIX = re.compile(r"(/(?!\.\.?(/|\Z))[A-Za-z0-9._~-]+)+")
"""Characters that no program escapes; source: RFC 3986, section 2.3."""


def check_prefix(prefix: str) -> None:
    """Raise UsageError for what can't be the prefix of a site; empty for a site that has a host name of its own."""
    if prefix and (len(prefix) > MOST_PREFIX_CHARS or not _PREFIX.fullmatch(prefix)):
        raise UsageError(
            f"--prefix {prefix!r} is not a path that a site can be below",
            f"write it like /ladder: up to {MOST_PREFIX_CHARS} characters, a slash before each part and none at the "
            "end, and only letters, digits and -._~ in the parts; leave it out if the site has its host name to itself",
        )


def prefix_of(scope: Scope) -> str:
    """Return the prefix of the site that a request was sent to, such as `/ladder`; usually empty."""
    return str(scope.get("app_root_path", scope.get("root_path", "")))


def sent_path(scope: Scope) -> str:
    """Return the path of a request below the prefix, escaped as it was sent."""
    raw = scope.get("raw_path")
    whole = raw.decode("ascii", "replace") if raw else quote(scope["path"])
    return whole.removeprefix(prefix_of(scope))


def own_path(text: str, otherwise: str = "/") -> str:
    """Return a path of this site with its query, as in `next=/account`; `otherwise` for anything else.

    Paths are below the prefix, without it. Browsers read `//host`, `/\\host` and paths with control characters as
    addresses of other sites, and `/..` as one above the prefix.
    """
    if not 0 < len(text) <= MOST_CHARS or not text.startswith("/") or text.startswith("//"):
        return otherwise
    if "\\" in text or not text.isascii() or not text.isprintable() or " " in text:
        return otherwise
    try:
        parts = urlsplit(text)
    except ValueError:
        return otherwise
    if parts.scheme or parts.netloc or not {".", ".."}.isdisjoint(unquote(parts.path).split("/")):
        return otherwise
    return text


def refusal(
    scope: Scope, status: int, words: str, hint: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return why a request isn't answered: for programs below `/api/` as a problem, for others as text."""
    if sent_path(scope).startswith("/api/"):
        content = msgspec.json.encode(Problem(words, hint))
        return Response(content, status, headers, "application/json")
    return PlainTextResponse(f"{words}\n{hint}\n" if hint else f"{words}\n", status, headers)


def below(app: ASGIApp, prefix: str) -> ASGIApp:
    """Middleware: answers what is below the prefix and nothing else. Redirects inside name paths without it."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_prefix(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = prefix + headers["location"]
            await send(message)

        path = sent_path(scope)
        if path == prefix:
            await RedirectResponse(f"{prefix}/", 308)(scope, receive, send)
        elif path.startswith(f"{prefix}/"):
            scope["root_path"] = prefix  # in place: the page for bugs is made outside of this
            await app(scope, receive, send_with_prefix)
        else:
            hint = "A proxy in front of it has to pass on the whole path."
            if path.startswith("/api/"):  # programs with the address of the machine alone
                hint = f"give the address of its home page, which ends in {prefix}"
            await refusal(scope, 404, f"This site is below {prefix}/.", hint)(scope, receive, send)

    return for_requests(app, answer)
