"""What every response says to browsers, and which requests are refused before anything else is done.

Sources: OWASP Cheat Sheets "Content Security Policy", "HTTP Security Response Headers" and "Cross-Site Request
Forgery Prevention"; W3C, "Fetch Metadata Request Headers".
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every response."""
_HSTS = "max-age=31536000"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Security:
    """Middleware: adds the headers, and refuses requests that another site's page has made a browser send.

    `owns_host`: whether all pages of the host name are of this site, so that it may ask browsers to use only https.
    """

    def __init__(self, app: ASGIApp, *, owns_host: bool = True) -> None:
        self._app = app
        self._owns_host = owns_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope.get("scheme") == "https" and self._owns_host:
                    headers.setdefault("Strict-Transport-Security", _HSTS)
            await send(message)

        if scope["method"] not in _READING and not is_from_here(Headers(scope=scope)):
            refusal = PlainTextResponse(
                "This request comes from a page of another site, so it was refused.\n", status_code=403
            )
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


def is_from_here(headers: Headers) -> bool:
    """Return whether a request that changes something comes from this site's own pages, or from no browser at all.

    Browsers send `Sec-Fetch-Site` or `Origin` with such requests; other programs send neither.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or (bool(host := headers.get("host")) and urlsplit(origin).netloc == host)
