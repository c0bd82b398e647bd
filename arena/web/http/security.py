"""What every response says to browsers, which requests are refused, session cookies and the secrets of forms.

Sources: OWASP Cheat Sheets "Content Security Policy", "HTTP Security Response Headers", "Session Management" and
"Cross-Site Request Forgery Prevention"; W3C, "Fetch Metadata Request Headers"; RFC 6265bis on `__Host-`.
"""

from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.http.allowed_hosts import for_requests, prefix_of

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
POLICY_ELSEWHERE = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""Of the pages that other sites may show. They know nobody and have no forms, so nobody can be tricked by a frame."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every response, but those with a type of `_PARTS` have only the ones of `_OF_PARTS`."""
_PARTS = ("text/css", "text/javascript", "font/")
_OF_PARTS = ("X-Content-Type-Options", "Cross-Origin-Resource-Policy")
"""The other headers tell a browser what a page may do, and parts of a page aren't pages."""
_HSTS = "max-age=31536000"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def security(app: ASGIApp, *, owns_host: bool = True) -> ASGIApp:
    """Middleware: adds the headers, and refuses requests that another site's page has made a browser send.

    `owns_host`: whether all pages of the host name are of this site, so that it may ask browsers to use only https.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_part = headers.get("content-type", "").startswith(_PARTS)
                for name in _OF_PARTS if is_part else HEADERS:
                    headers.setdefault(name, HEADERS[name])
                if scope.get("scheme") == "https" and owns_host:
                    headers.setdefault("Strict-Transport-Security", _HSTS)
            await send(message)

        if scope["method"] in _READING or is_from_here(Headers(scope=scope)):
            await app(scope, receive, send_with_headers)
            return
        words = "This request comes from a page of another site, so it was refused.\n"
        await PlainTextResponse(words, 403)(scope, receive, send_with_headers)

    return for_requests(app, answer)


def is_from_here(headers: Headers) -> bool:
    """Return whether a request that changes something comes from this site's own pages, or from no browser at all.

    Browsers send `Sec-Fetch-Site` or `Origin` with such requests; other programs send neither.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or (bool(host := headers.get("host")) and urlsplit(origin).netloc == host)


SESSION = "session"
FORM = "form"
"""Of visitors who aren't signed in: it binds the sign-in form to the browser that asked for it."""
GUEST = "guest"
"""Of visitors who play without an account: it is what makes a table theirs."""
_LASTS_S = {GUEST: 7 * 86_400, SESSION: 30 * 86_400, FORM: 3_600}


def cookie_name(request: Request, what: str) -> str:
    """Return the name of a cookie.

    Browsers send cookies of a host to all of its ports, and those of a path to all paths below, so both are part of the
    name: two servers on one machine don't sign each other's visitors out. On https `__Host-` makes browsers refuse such
    a cookie from other hosts of the domain; it isn't for cookies of a path, and `__Secure-` only wants https.
    """
    port, prefix = request.url.port, prefix_of(request.scope)
    name = f"arena-{what}{f'-{port}' if port else ''}{prefix.replace('/', '!')}"
    if request.url.scheme != "https":
        return name
    return f"__Secure-{name}" if prefix else f"__Host-{name}"


def read_cookie(request: Request, what: str) -> str:
    """Return the value of a cookie; empty if there is none, or if there are several that differ.

    Another server on this host could have set one of those.
    """
    name = cookie_name(request, what)
    found = set()
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                found.add(value)
    return found.pop() if len(found) == 1 else ""


def set_cookie(response: Response, request: Request, what: str, value: str) -> None:
    """Give the browser a cookie that scripts can't read, and that other sites' forms don't send."""
    response.set_cookie(
        cookie_name(request, what),
        value,
        max_age=_LASTS_S[what] if value else 0,
        path=prefix_of(request.scope) or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def remove_cookie(response: Response, request: Request, what: str) -> None:
    """Make the browser forget a cookie."""
    set_cookie(response, request, what, "")


def csrf_of(secret: str) -> str:
    """Return what forms send back, for the value of a cookie; it doesn't tell that value. Empty for an empty one."""
    return sha256(f"form of {secret}".encode()).hexdigest()[:40] if secret else ""


def is_csrf(given: str, expected: str) -> bool:
    """Return whether a form sent back what its page had."""
    return bool(expected) and compare_digest(given.encode("utf-8", "replace"), expected.encode())
