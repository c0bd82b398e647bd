"""Paths of this site: below its prefix, and those that a redirect may lead to.

Source: ASGI, `root_path`, which Starlette's routes leave out of the path. The path of a request has to have the prefix:
if it could be missing, each page would have two addresses, and rules of a proxy for one of them would miss the other.
"""

import re
from urllib.parse import quote, unquote, urlsplit

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.client.answers import Problem
from arena.core.errors import UsageError

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


class Prefix:
    """Middleware: answers what is below the prefix and nothing else. Redirects inside name paths without it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_prefix(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = self._prefix + headers["location"]
            await send(message)

        path = sent_path(scope)
        if path == self._prefix:
            await RedirectResponse(f"{self._prefix}/", 308)(scope, receive, send)
        elif path.startswith(f"{self._prefix}/"):
            scope["root_path"] = self._prefix  # in place: the page for bugs is made outside of this
            await self._app(scope, receive, send_with_prefix)
        else:
            words = f"This site is below {self._prefix}/."
            answer: Response = PlainTextResponse(
                f"{words} A proxy in front of it has to pass on the whole path.\n", 404
            )
            if path.startswith("/api/"):  # programs with the address of the machine alone
                hint = f"give the address of its home page, which ends in {self._prefix}"
                answer = Response(
                    msgspec.json.encode(Problem(words, hint)), 404, media_type="application/json"
                )
            await answer(scope, receive, send)
